/**
 * Properties of live clients over random sequences: whatever the order of arrival, the result equals the hub's state.
 */
import { describe, expect, it } from 'vitest';
import type { LogEvent } from '../../api/events';
import type { Message, Snapshot } from '../../api/model';
import { OpenProject } from '../project/open_project';
import { FakeServer, type SentFrame } from '../testing/fake_server';
import { flushMicrotasks, seeded } from '../testing/tools';
import { reduce } from './reduce';

const SEEDS = Array.from({ length: 60 }, (_, index) => index + 1);
const ACTS = 250;
const CONVERSATION = 'chn_general';

/** Performs a random action in the project. */
function act(server: FakeServer, random: () => number): void {
  const pick = <Item>(list: readonly Item[]) => list[Math.floor(random() * list.length)] as Item;
  const to = random() < 0.8 ? CONVERSATION : 'chn_release';
  const there = server.messages(to).filter((message) => !message.removed_at);
  const done = there.filter((message) => message.state === 'complete');
  const running = there.filter((message) => message.state === 'streaming');
  const chance = random();
  const from = { type: 'person' as const, id: pick(['per_mara', 'per_tobias']), name: 'Somebody' };
  if (chance < 0.35 || there.length === 0) server.post({ to, from, mentions: random() < 0.2 ? ['per_mara'] : [] });
  else if (chance < 0.45) server.post({ to, from, state: 'streaming', body: '' });
  else if (chance < 0.75 && running.length > 0)
    server.chunk(pick(running).id, pick(['a', 'b😀', 'é', '😀😀', 'word ']));
  else if (chance < 0.8 && running.length > 0) server.finish(pick(running).id);
  else if (chance < 0.87 && done.length > 0) server.edit(pick(done).id, `${random()}`);
  else if (chance < 0.97 && done.length > 0)
    server.react(pick(done).id, pick(['per_mara', 'per_tobias']), pick(['👍', '🎉']));
  else server.remove(pick(there).id);
}

function receive(project: OpenProject, frame: SentFrame): void {
  if ('event' in frame) project.takeEvent(frame.event);
  else project.takeEphemeral(frame.ephemeral);
}

/** Events do not determine the order of reactions. */
function plain(messages: readonly Message[]): unknown {
  const sorted = (reactions: Message['reactions']) =>
    (reactions ?? [])
      .map(({ emoji, members }) => ({ emoji, members: members.toSorted() }))
      .sort((one, other) => (one.emoji < other.emoji ? -1 : 1));
  return messages.map(({ id, seq, body, state, reactions, removed_at }) => ({
    ...{ id, seq, body, state, removed_at },
    reactions: sorted(reactions),
  }));
}

/** Returns the messages of a list with streaming texts. */
function shown(project: OpenProject): Message[] {
  const messageList = project.messageLists.get(CONVERSATION);
  return messageList.ids().flatMap((id) => {
    const message = messageList.peek(id);
    return message ? [{ ...message, body: messageList.growing(id)?.text() ?? message.body }] : [];
  });
}

describe('any interleaving of pages, events, duplicates and chunks', () => {
  it.each(SEEDS)('gives the history of the hub (seed %i)', async (seed) => {
    const random = seeded(seed);
    const server = new FakeServer();
    server.pageMax = 8;
    const early = Math.floor(random() * 60);
    for (let index = 0; index < early; index += 1) act(server, random);
    let receivedCount = 0;
    const project = new OpenProject({
      hub: server.hub,
      outbox: () => [],
      // Events up to the snapshot are not sent again; chunks are sent from the subscription on.
      onOpened: (_, position) => {
        const index = server.sentFrames.findLastIndex((one) => 'event' in one && one.event.position === position);
        receivedCount = index + 1;
      },
    });
    const messageList = project.messageLists.get(CONVERSATION);
    const receiveNext = () => {
      const frame = project.snapshot() ? server.sentFrames[receivedCount] : undefined;
      if (!frame) return;
      receivedCount += 1;
      receive(project, frame);
    };
    const skipEphemeral = () => {
      if (project.snapshot() && 'ephemeral' in (server.sentFrames[receivedCount] ?? {})) receivedCount += 1;
    };
    void project.open('prj_1');
    for (let index = 0; index < ACTS; index += 1) {
      const chance = random();
      if (chance < 0.3) act(server, random);
      else if (chance < 0.6) receiveNext();
      else if (chance < 0.7) for (const request of server.requests) request.read();
      else if (chance < 0.8) server.requests[Math.floor(random() * server.requests.length)]?.arrive();
      else if (chance < 0.83) receivedCount = Math.max(0, receivedCount - Math.floor(random() * 5));
      else if (chance < 0.85) skipEphemeral();
      else if (chance < 0.9) void messageList.loadOlder();
      else if (chance < 0.92) void messageList.loadNewest();
      else if (chance < 0.94) void messageList.refresh();
      else if (chance < 0.98) void project.reload();
      else void messageList.loadAround(server.messages(CONVERSATION)[0]?.id ?? '');
      await flushMicrotasks(3);
    }
    await server.answerAll(flushMicrotasks);
    while (receivedCount < server.sentFrames.length) receiveNext();
    // A client that reconnects gets the whole text of every stream.
    for (const running of server.running()) receive(project, { ephemeral: { type: 'stream', ...running } });
    await server.answerAll(flushMicrotasks);
    while (messageList.newer() === 'more' || messageList.older() === 'more') {
      void messageList.loadNewer();
      void messageList.loadOlder();
      await server.answerAll(flushMicrotasks);
    }
    expect(plain(shown(project))).toEqual(plain(server.messages(CONVERSATION)));
    expect({ ...project.snapshot(), streams: [] }).toEqual({ ...server.snapshot, streams: [] });
  });
});

describe('a snapshot and the events after it, in any batches and repeated,', () => {
  it.each(SEEDS.slice(0, 20))('give the same snapshot (seed %i)', (seed) => {
    const random = seeded(seed);
    const server = new FakeServer();
    const snapshots: Snapshot[] = [server.snapshot];
    for (let index = 0; index < ACTS; index += 1) {
      act(server, random);
      snapshots.push(server.snapshot);
    }
    const events = server.sentFrames.flatMap((frame): LogEvent[] => ('event' in frame ? [frame.event] : []));
    for (const snapshot of snapshots) {
      const offset = Number(snapshot.position.split('-')[1]) - 1;
      const from = Math.max(0, offset - Math.floor(random() * 4));
      const last = events.slice(from).reduce((before, event) => reduce(before, event).snapshot, snapshot);
      expect(last).toEqual(server.snapshot);
    }
  });
});
