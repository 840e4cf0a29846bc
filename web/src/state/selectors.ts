/** Selectors over a snapshot. Pure; components call them inside memos. */
import type { Channel, ConversationId, Dm, Me, Member, OpenQuestion, Reading, Snapshot, Thread } from '../api/model';
import { compareNames } from '../text/names';
import type { Unread } from './contract';

export type Conversation =
  | { type: 'channel'; id: string; channel: Channel }
  | { type: 'thread'; id: string; thread: Thread; channel: Channel | undefined }
  | { type: 'dm'; id: string; dm: Dm };

export function membersById(snapshot: Snapshot): ReadonlyMap<string, Member> {
  const people = snapshot.people.map(
    (person): Member => ({ type: 'person', id: person.id, name: person.name, person }),
  );
  const agents = snapshot.agents.map((agent): Member => ({ type: 'agent', id: agent.id, name: agent.name, agent }));
  return new Map([...people, ...agents].map((member) => [member.id, member]));
}

export function conversationOf(snapshot: Snapshot, id: ConversationId): Conversation | undefined {
  const channel = snapshot.channels.find((one) => one.id === id);
  if (channel) return { type: 'channel', id, channel };
  const thread = snapshot.threads.find((one) => one.id === id);
  if (thread)
    return { type: 'thread', id, thread, channel: snapshot.channels.find((one) => one.id === thread.channel_id) };
  const dm = snapshot.dms.find((one) => one.id === id);
  return dm && { type: 'dm', id, dm };
}

/** Returns the title of a conversation: `#general`, the others' names, or `Thread in #general`. */
export function titleOf(snapshot: Snapshot, id: ConversationId): string {
  const conversation = conversationOf(snapshot, id);
  switch (conversation?.type) {
    case 'channel':
      return `#${conversation.channel.name}`;
    case 'thread':
      return conversation.channel ? `Thread in #${conversation.channel.name}` : 'Thread';
    case 'dm':
      return namesIn(snapshot, conversation.dm).join(', ');
    case undefined:
      return 'Conversation';
  }
}

export function namesIn(snapshot: Snapshot, dm: Dm): string[] {
  const members = membersById(snapshot);
  return dm.participants.filter((id) => id !== snapshot.reader).map((id) => members.get(id)?.name ?? 'Former member');
}

export function readingOf(snapshot: Snapshot, id: ConversationId): Reading | undefined {
  return snapshot.reading.find((one) => one.conversation_id === id);
}

export function unreadOf(snapshot: Snapshot, id: ConversationId): Unread {
  const reading = readingOf(snapshot, id);
  return { messages: reading?.unread ?? 0, mentions: reading?.mentions.length ?? 0 };
}

/** Returns the number of replies; undefined for threads that are too old for the snapshot. */
export function replyCount(snapshot: Snapshot, threadId: string): number | undefined {
  if (!snapshot.threads.some((thread) => thread.id === threadId)) return undefined;
  return readingOf(snapshot, threadId)?.last_seq ?? 0;
}

export function openChannels(snapshot: Snapshot): Channel[] {
  return snapshot.channels.filter((channel) => !channel.archived_at).sort(byName);
}

export function archivedChannels(snapshot: Snapshot): Channel[] {
  return snapshot.channels.filter((channel) => channel.archived_at).sort(byName);
}

/** Whether a thread was opened but never written in: it is not shown. */
export function isEmptyThread(snapshot: Snapshot, threadId: string): boolean {
  return replyCount(snapshot, threadId) === 0;
}

/** Returns threads that the reader created, read or is mentioned in, newest first. */
export function followedThreads(snapshot: Snapshot): Thread[] {
  const isFollowed = (thread: Thread) => {
    const reading = readingOf(snapshot, thread.id);
    return thread.created_by === snapshot.reader || (reading && (reading.read_seq > 0 || reading.mentions.length > 0));
  };
  return snapshot.threads.filter((thread) => isFollowed(thread) && !isEmptyThread(snapshot, thread.id)).reverse();
}

/** Returns the members who can read a conversation. */
export function readersOf(snapshot: Snapshot, id: ConversationId): readonly string[] {
  const conversation = conversationOf(snapshot, id);
  if (conversation?.type === 'dm') return conversation.dm.participants;
  const channel = conversation?.channel;
  if (channel?.visibility === 'private') {
    return snapshot.channel_members.filter((one) => one.channel_id === channel.id).map((one) => one.member_id);
  }
  return [...membersById(snapshot).keys()];
}

/** Returns why the reader cannot write; undefined when they can. */
export function whyReadOnly(snapshot: Snapshot, id: ConversationId): string | undefined {
  const conversation = conversationOf(snapshot, id);
  const channel = conversation?.type === 'dm' ? undefined : conversation?.channel;
  return channel?.archived_at ? `#${channel.name} is archived and read-only.` : undefined;
}

/** Whether the reader may change a channel: its creator, the project's owner, administrators. */
export function mayManage(snapshot: Snapshot, channel: Channel, me: Me): boolean {
  return me.role === 'admin' || channel.created_by === me.member_id || snapshot.project.owner === me.member_id;
}

function byName(one: { name: string }, other: { name: string }): number {
  return compareNames(one.name, other.name);
}

/** Counts questions that are not already unread mentions of the open project. */
export function questionsBesides(snapshot: Snapshot | undefined, questions: readonly OpenQuestion[]): number {
  const isMention = ({ message }: OpenQuestion) =>
    snapshot?.reading.some((one) => one.conversation_id === message.to && one.mentions.includes(message.seq));
  return questions.filter((one) => !isMention(one)).length;
}
