/** Texts of timeline entries. Pure. */
import type { Message, TimelineEntry, TimelineEntryKind } from '../../api/model';
import { namesText, type Viewer } from '../../message/question/question_text';
import { excerpt } from './run_text';

export interface TimelineEntryText {
  readonly title: string;
  readonly detail?: string;
}

/** `message` is the subject of the entry, once it is loaded; `isNow` means that nothing has happened since. */
export function timelineEntryText(
  entry: TimelineEntry,
  message: Message | undefined,
  viewer: Viewer,
  isNow = false,
): TimelineEntryText {
  const detail = detailOf(entry, message);
  const words = TITLES[entry.kind](entry, message, viewer);
  const title = isNow && toneOf(entry.kind) === 'waits' ? `${words}, waiting` : words;
  return detail ? { title, detail } : { title };
}

type Title = (entry: TimelineEntry, message: Message | undefined, viewer: Viewer) => string;

const by: (verb: string) => Title =
  (verb) =>
  ({ by: who }, _, { readerId }) =>
    `${verb} by ${who.id === readerId ? 'you' : who.name}`;

const TITLES: Record<TimelineEntryKind, Title> = {
  run_started: (entry, message, viewer) => {
    const caller = message?.from ?? (entry.message_id ? undefined : entry.by);
    if (!caller || (caller.type === 'agent' && caller.id === entry.by.id)) return `${entry.by.name} started`;
    return `Called by ${caller.id === viewer.readerId ? 'you' : caller.name}`;
  },
  paused: by('Paused'),
  asked: (entry, message, viewer) => {
    const question = message?.question;
    return question ? `Asked ${namesText(question.addressees, viewer)}` : `${entry.by.name} asked`;
  },
  resumed: () => 'Resumed',
  run_done: () => 'Done',
  run_failed: () => 'Failed',
  run_cancelled: by('Stopped'),
  task_created: by('Task created'),
  task_moved: ({ detail }) => `Task is ${detail ?? 'changed'}`,
};

function detailOf(entry: TimelineEntry, message: Message | undefined): string | undefined {
  const excerptOfMessage = message && !message.removed_at ? excerpt(message.body) : undefined;
  if (entry.kind === 'task_moved') return undefined;
  if (entry.kind === 'resumed') return entry.detail ?? undefined;
  // The message has more information than the agent's label.
  return excerptOfMessage ?? entry.detail ?? undefined;
}

/** Returns the colour of an entry; the text says the same. */
export function toneOf(kind: TimelineEntryKind): 'plain' | 'waits' | 'good' | 'bad' {
  switch (kind) {
    case 'paused':
    case 'asked':
      return 'waits';
    case 'run_done':
      return 'good';
    case 'run_failed':
    case 'run_cancelled':
      return 'bad';
    default:
      return 'plain';
  }
}
