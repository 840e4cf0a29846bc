/**
 * Applies events to a snapshot, with the same rules as `Snapshot::apply` of `parlour-core`; both are tested with the
 * same fixtures.
 *
 * Pure. Lists that an event does not change stay the same objects, so their readers do not run.
 */
import { type Change, type LogEvent, parsePosition } from '../../api/events';
import type { Snapshot, Thread } from '../../api/model';
import { putById, putNewest, putSorted, replaceById, subscriptionOrder, without } from './lists';
import { done, type ReduceStep } from './step';
import { countEdit, countPost, countRead, countRemoval } from './unread_counts';
import {
  addChannel,
  addChannelMember,
  closeChannel,
  hasConversation,
  openChannel,
  removeChannelMember,
  removePerson,
} from './visibility';

/**
 * Result of an event: applied (`done`) or already contained (`known`). `reload`: something became visible whose history
 * the event does not contain. `hole`: an event is missing, or it belongs to another log. Both need a new snapshot and
 * leave the position unchanged.
 */
export type ReduceOutcome = 'done' | 'known' | 'reload' | 'hole';

export interface AppliedEvents {
  readonly snapshot: Snapshot;
  readonly outcome: ReduceOutcome;
}

/** Applies an event and moves the position. Offsets may have gaps. */
export function reduce(snapshot: Snapshot, event: LogEvent): AppliedEvents {
  const [here, there] = [parsePosition(snapshot.position), parsePosition(event.position)];
  if (event.project_id !== snapshot.project.id || there.epoch !== here.epoch) return { snapshot, outcome: 'hole' };
  if (there.offset <= here.offset) return { snapshot, outcome: 'known' };
  const step = change(snapshot, event);
  if (step.outcome !== 'done') return step;
  return { snapshot: { ...step.snapshot, position: event.position }, outcome: 'done' };
}

function change(snapshot: Snapshot, event: Change): ReduceStep {
  switch (event.name) {
    case 'projects.created':
    case 'projects.updated':
      return done({ ...snapshot, project: event.data });
    case 'projects.person_added':
      if (event.data.id === snapshot.reader) return { snapshot, outcome: 'reload' };
      return done({ ...snapshot, people: putSorted(snapshot.people, event.data, (one) => [one.id]) });
    case 'projects.person_updated':
      return done({ ...snapshot, people: replaceById(snapshot.people, event.data) });
    case 'projects.person_removed':
      return removePerson(snapshot, event.data);
    case 'agents.created':
    case 'agents.updated':
      return done({ ...snapshot, agents: putById(snapshot.agents, event.data) });
    default:
      return changeChannels(snapshot, event);
  }
}

function changeChannels(snapshot: Snapshot, event: Change): ReduceStep {
  switch (event.name) {
    case 'channels.created':
      return addChannel(snapshot, event.data);
    case 'channels.updated':
    case 'channels.archived':
    case 'channels.unarchived':
      return done({ ...snapshot, channels: replaceById(snapshot.channels, event.data) });
    case 'channels.closed':
      return closeChannel(snapshot, event.data);
    case 'channels.opened':
      return openChannel(snapshot, event.data);
    case 'channels.member_added':
      return addChannelMember(snapshot, event.data);
    case 'channels.member_removed':
      return removeChannelMember(snapshot, event.data);
    case 'channels.subscribed':
      if (!hasConversation(snapshot, event.data.channel_id)) return done(snapshot);
      return done({ ...snapshot, subscriptions: putSorted(snapshot.subscriptions, event.data, subscriptionOrder) });
    case 'channels.unsubscribed': {
      const { channel_id, agent_id } = event.data;
      const isGone = (one: typeof event.data) => one.channel_id === channel_id && one.agent_id === agent_id;
      return done({ ...snapshot, subscriptions: without(snapshot.subscriptions, isGone) });
    }
    default:
      return changeMessages(snapshot, event);
  }
}

function changeMessages(snapshot: Snapshot, event: Change): ReduceStep {
  switch (event.name) {
    case 'messaging.created':
      return done({ ...snapshot, dms: putById(snapshot.dms, event.data) });
    case 'messaging.thread_created':
      return done(addThread(snapshot, event.data));
    case 'messaging.posted':
      return countPost(snapshot, event.data);
    case 'messaging.edited':
      return countEdit(snapshot, event.data);
    case 'messaging.finished':
      return countEdit(endStream(snapshot, event.data.id), event.data);
    case 'messaging.removed':
      return countRemoval(endStream(snapshot, event.data.id), event.data);
    case 'messaging.read':
      return countRead(snapshot, event.data);
    default:
      return changeWork(snapshot, event);
  }
}

/**
 * Reactions, calls, deliveries and questions belong to messages, which are not in a snapshot; unknown events of a newer
 * hub change nothing.
 */
function changeWork(snapshot: Snapshot, event: Change): ReduceStep {
  switch (event.name) {
    case 'runs.started':
    case 'runs.paused':
    case 'runs.resumed':
      return done({ ...snapshot, runs: putById(snapshot.runs ?? [], event.data) });
    case 'runs.ended':
      return done({ ...snapshot, runs: without(snapshot.runs ?? [], (run) => run.id === event.data.id) });
    case 'tasks.created':
      return done({ ...snapshot, tasks: putNewest(snapshot.tasks, event.data) });
    case 'tasks.updated':
      return done({ ...snapshot, tasks: replaceById(snapshot.tasks, event.data) });
    case 'batches.created':
      return done({ ...snapshot, batches: putNewest(snapshot.batches, event.data) });
    case 'artifacts.created':
      return done({ ...snapshot, artifacts: putNewest(snapshot.artifacts, event.data) });
    default:
      return done(snapshot);
  }
}

/** A thread that is dropped from the list takes its unread counts with it. */
function addThread(snapshot: Snapshot, thread: Thread): Snapshot {
  if (!hasConversation(snapshot, thread.channel_id)) return snapshot;
  const threads = putNewest(snapshot.threads, thread);
  const oldest = snapshot.threads[0];
  if (!oldest || threads[0] === oldest || oldest.id === thread.id) return { ...snapshot, threads };
  const reading = without(snapshot.reading, (one) => one.conversation_id === oldest.id);
  return { ...snapshot, threads, reading };
}

function endStream(snapshot: Snapshot, messageId: string): Snapshot {
  const streams = without(snapshot.streams ?? [], (stream) => stream.message_id === messageId);
  return streams === snapshot.streams ? snapshot : { ...snapshot, streams };
}
