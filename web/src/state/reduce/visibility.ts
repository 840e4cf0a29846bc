/** Applies changes of what the reader can see. */
import type { Channel, ChannelMember, ConversationId, Person, Snapshot } from '../../api/model';
import type { components } from '../../api/types';
import { isFull, memberOrder, putById, putSorted, replaceById, without } from './lists';
import { done, type ReduceStep } from './step';

type Schemas = components['schemas'];

/** Whether the snapshot contains this conversation. Older visible threads are not in it. */
export function hasConversation(snapshot: Snapshot, conversation: ConversationId): boolean {
  if (conversation.startsWith('thr_')) return snapshot.threads.some((thread) => thread.id === conversation);
  if (conversation.startsWith('dm_')) return snapshot.dms.some((dm) => dm.id === conversation);
  return snapshot.channels.some((channel) => channel.id === conversation);
}

/** A channel was created. Other members of a private channel learn of it when they are added. */
export function addChannel(snapshot: Snapshot, { members = [], ...channel }: Schemas['CreatedChannel']): ReduceStep {
  const channels = putById(snapshot.channels, channel);
  if (channel.visibility !== 'private') return done({ ...snapshot, channels });
  if (!members.includes(snapshot.reader)) return done(snapshot);
  return done({ ...snapshot, channels, channel_members: withMembers(snapshot.channel_members, channel.id, members) });
}

/** A channel became private. The event is complete for readers who have access again, but they had lost it here. */
export function closeChannel(snapshot: Snapshot, closed: Schemas['ClosedChannel']): ReduceStep {
  const { channel_id: id, channel, members = [] } = closed;
  if (!channel || !members.includes(snapshot.reader)) return dropChannel(snapshot, id);
  const isOut = (one: Schemas['Subscription']) => one.channel_id === id && !members.includes(one.agent_id);
  return done({
    ...snapshot,
    channels: replaceById(snapshot.channels, channel),
    channel_members: withMembers(withoutMembers(snapshot.channel_members, id), id, members),
    subscriptions: without(snapshot.subscriptions, isOut),
  });
}

export function openChannel(snapshot: Snapshot, channel: Channel): ReduceStep {
  if (!hasConversation(snapshot, channel.id)) return { snapshot, outcome: 'reload' };
  const channel_members = withoutMembers(snapshot.channel_members, channel.id);
  return done({ ...snapshot, channels: replaceById(snapshot.channels, channel), channel_members });
}

export function addChannelMember(snapshot: Snapshot, one: ChannelMember): ReduceStep {
  if (one.member_id === snapshot.reader) return { snapshot, outcome: 'reload' };
  if (!hasConversation(snapshot, one.channel_id)) return done(snapshot);
  return done({ ...snapshot, channel_members: putSorted(snapshot.channel_members, one, memberOrder) });
}

/** A member left a private channel; an agent also loses its subscription. */
export function removeChannelMember(snapshot: Snapshot, gone: ChannelMember): ReduceStep {
  const { channel_id: id, member_id: member } = gone;
  if (member === snapshot.reader) return dropChannel(snapshot, id);
  return done({
    ...snapshot,
    channel_members: without(snapshot.channel_members, (one) => one.channel_id === id && one.member_id === member),
    subscriptions: without(snapshot.subscriptions, (one) => one.channel_id === id && one.agent_id === member),
  });
}

/** A person left the project and its private channels. Administrators keep the project, without private channels. */
export function removePerson(snapshot: Snapshot, person: Person): ReduceStep {
  const people = without(snapshot.people, (one) => one.id === person.id);
  if (person.id !== snapshot.reader) {
    const channel_members = without(snapshot.channel_members, (one) => one.member_id === person.id);
    return done({ ...snapshot, people, channel_members });
  }
  return person.is_admin ? dropPrivateChannels({ ...snapshot, people }) : done(emptySnapshot(snapshot));
}

function dropPrivateChannels(snapshot: Snapshot): ReduceStep {
  const lost = snapshot.channels.filter((channel) => channel.visibility === 'private');
  return lost.reduce<ReduceStep>((step, channel) => {
    const next = dropChannel(step.snapshot, channel.id);
    return { ...next, outcome: step.outcome === 'reload' ? 'reload' : next.outcome };
  }, done(snapshot));
}

/** Removes a channel with everything in it. Where a list was full, older items are missing: reload. */
function dropChannel(snapshot: Snapshot, id: string): ReduceStep {
  if (!hasConversation(snapshot, id)) return done(snapshot);
  const isBelow = (one: { channel_id: string }) => one.channel_id === id;
  const lost = new Set<string | null | undefined>([id, ...snapshot.threads.filter(isBelow).map((thread) => thread.id)]);
  const isLost = (one: { conversation_id?: string | null }) => !!one.conversation_id && lost.has(one.conversation_id);
  const next: Snapshot = {
    ...snapshot,
    channels: without(snapshot.channels, (channel) => channel.id === id),
    channel_members: withoutMembers(snapshot.channel_members, id),
    subscriptions: without(snapshot.subscriptions, isBelow),
    threads: without(snapshot.threads, isBelow),
    artifacts: without(snapshot.artifacts, isLost),
    runs: without(snapshot.runs ?? [], isLost),
    reading: without(snapshot.reading, isLost),
    streams: without(snapshot.streams ?? [], isLost),
    // Tasks stay; their hidden thread is removed.
    tasks: snapshot.tasks.map((task) => (lost.has(task.thread_id) ? withoutThread(task) : task)),
  };
  return { snapshot: next, outcome: isFull(snapshot.threads) || isFull(snapshot.artifacts) ? 'reload' : 'done' };
}

function withoutThread({ thread_id: _, ...task }: Schemas['Task']): Schemas['Task'] {
  return task;
}

function emptySnapshot({ position, reader, project }: Snapshot): Snapshot {
  const none = { people: [], agents: [], channels: [], channel_members: [], subscriptions: [], threads: [], dms: [] };
  const noWork = { tasks: [], batches: [], artifacts: [], runs: [], reading: [], streams: [], presence: [] };
  return { position, reader, project, ...none, ...noWork };
}

function withMembers(seats: ChannelMember[], channel_id: string, members: readonly string[]): ChannelMember[] {
  return members.reduce((list, member_id) => putSorted(list, { channel_id, member_id }, memberOrder), seats);
}

function withoutMembers(seats: ChannelMember[], channelId: string): ChannelMember[] {
  return without(seats, (one) => one.channel_id === channelId);
}
