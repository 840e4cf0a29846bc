/** What is said of a moment of a run or a task. Pure. */
import type { Message, TimelineEntry, TimelineEntryKind } from '../../api/model';
import { namesText, type Viewer } from '../../message/question/question_text';
import { excerpt } from './run_text';

export interface TimelineEntryText {
  readonly title: string;
  /** More about it, below. */
  readonly detail?: string;
}

/** `message` is what the moment is about, once it is known; `isNow` says that nothing has happened since. */
export function timelineEntryText(
  moment: TimelineEntry,
  message: Message | undefined,
  viewer: Viewer,
  isNow = false,
): TimelineEntryText {
  const detail = detailOf(moment, message);
  const words = TITLES[moment.kind](moment, message, viewer);
  const title = isNow && toneOf(moment.kind) === 'waits' ? `${words}, waiting` : words;
  return detail ? { title, detail } : { title };
}

type Title = (moment: TimelineEntry, message: Message | undefined, viewer: Viewer) => string;

const by: (verb: string) => Title =
  (verb) =>
  ({ by: who }, _, { readerId }) =>
    `${verb} by ${who.id === readerId ? 'you' : who.name}`;

const TITLES: Record<TimelineEntryKind, Title> = {
  run_started: (moment, message, viewer) => {
    const caller = message?.from ?? (moment.message_id ? undefined : moment.by);
    if (!caller || (caller.type === 'agent' && caller.id === moment.by.id)) return `${moment.by.name} began`;
    return `Called by ${caller.id === viewer.readerId ? 'you' : caller.name}`;
  },
  paused: by('Paused'),
  asked: (moment, message, viewer) => {
    const question = message?.question;
    return question ? `Asked ${namesText(question.addressees, viewer)}` : `${moment.by.name} asked`;
  },
  resumed: () => 'Went on',
  run_done: () => 'Done',
  run_failed: () => 'Failed',
  run_cancelled: by('Stopped'),
  task_created: by('Task given'),
  task_moved: ({ detail }) => `Task is ${detail ?? 'changed'}`,
};

function detailOf(moment: TimelineEntry, message: Message | undefined): string | undefined {
  const said = message && !message.removed_at ? excerpt(message.body) : undefined;
  if (moment.kind === 'task_moved') return undefined;
  if (moment.kind === 'resumed') return moment.detail ?? undefined;
  // What was said tells more than what the agent calls it.
  return said ?? moment.detail ?? undefined;
}

/** Which look a moment has; the words say the same. */
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
