/** Runs the recorded fixtures of live clients, the same files that `parlour-core` uses. */
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../api/events';
import type { Chunk, Message, Running, Snapshot } from '../../api/model';
import { type ApplyResult, LoadedMessages } from '../messages/loaded_messages';
import { reduce } from './reduce';

interface SnapshotStory {
  snapshot: Snapshot;
  events: LogEvent[];
  outcomes: string[];
  expected: Snapshot;
}

type FixtureChange = { event: LogEvent } | { chunk: Chunk } | { stream: Running };

interface MessageListStory {
  conversation_id: string;
  messages: Message[];
  told: FixtureChange[];
  outcomes: unknown[];
  expected: Message[];
}

/** New files in the folder are found automatically. */
const files: Record<string, unknown> = import.meta.glob('../../../../crates/parlour-core/tests/fixtures/live/*.json', {
  eager: true,
  import: 'default',
});
const stories = <Story>(isWanted: (name: string) => boolean): [string, Story][] =>
  Object.entries(files)
    .map(([path, story]): [string, Story] => [path.slice(path.lastIndexOf('/') + 1), story as Story])
    .filter(([name]) => isWanted(name));

describe('recorded snapshots', () => {
  const found = stories<SnapshotStory>((name) => !name.startsWith('message_list'));
  it('are there', () => expect(found.length).toBeGreaterThanOrEqual(6));
  it.each(found)('and the events of %s give the recorded outcome', (_, story) => {
    let snapshot = story.snapshot;
    const outcomes = story.events.map((event) => {
      const applied = reduce(snapshot, event);
      snapshot = applied.snapshot;
      return applied.outcome;
    });
    expect(outcomes).toEqual(story.outcomes);
    expect(snapshot).toEqual(story.expected);
  });
});

describe('recorded message lists', () => {
  const found = stories<MessageListStory>((name) => name.startsWith('message_list'));
  it('are there', () => expect(found.length).toBeGreaterThanOrEqual(2));
  it.each(found)('and their events in %s give the recorded result', (_, story) => {
    const messageList = new LoadedMessages(story.conversation_id);
    messageList.reset(story.messages, { newest: true, oldest: true });
    expect(story.told.map((change) => outcome(apply(messageList, change)))).toEqual(story.outcomes);
    expect(messageList.messages()).toEqual(story.expected);
  });
});

function apply(messageList: LoadedMessages, change: FixtureChange): ApplyResult {
  if ('event' in change) return messageList.apply(change.event);
  return 'chunk' in change ? messageList.applyChunk(change.chunk) : messageList.applyStream(change.stream);
}

function outcome(followed: ApplyResult): unknown {
  return followed.type === 'missing' ? { missing: { after: followed.after } } : followed.type;
}
