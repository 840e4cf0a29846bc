/**
 * Snapshot + event = newer snapshot: the twin of `parlour-core`'s `Snapshot::apply`, held to the same recorded stories.
 *
 * Pure. Lists that an event does not touch stay the same objects, so whoever watches one of them does not run.
 */
import { type Change, type LogEvent, partsOf } from '../../api/events';
import type { Snapshot, Thread } from '../../api/model';
import { putById, putNewest, putSorted, replaceById, subscriptionOrder, without } from './lists';
import { done, type ReduceStep } from './step';
import { countEdit, countPost, countRead, countRemoval } from './unread_counts';
import {
  addChannel,
  addChannelMember,
  closeChannel,
  holds,
  openChannel,
  removeChannelMember,
  removePerson,
} from './visibility';

/**
 * What came of an event: the snapshot holds it now (`done`), or held it already (`known`). `reload`: the reader begins
 * to see something whose past the event does not tell. `hole`: something is missing before it, or it is of another
 * log. Both want a fresh snapshot, and leave the position as it was.
 */
export type ReduceOutcome = 'done' | 'known' | 'reload' | 'hole';

export interface Applied {
  readonly snapshot: Snapshot;
  readonly outcome: ReduceOutcome;
}

/** Brings a snapshot to the position of an event that its reader may learn of. Offsets may be left out. */
export function reduce(snapshot: Snapshot, event: LogEvent): Applied {
  const [here, there] = [partsOf(snapshot.position), partsOf(event.position)];
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
      if (!holds(snapshot, event.data.channel_id)) return done(snapshot);
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
 * Reactions, calls, deliveries and questions stand on messages, which a snapshot does not hold; names of a newer hub
 * change nothing here.
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

/** A thread that falls out of the window takes its reading with it. */
function addThread(snapshot: Snapshot, thread: Thread): Snapshot {
  if (!holds(snapshot, thread.channel_id)) return snapshot;
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
