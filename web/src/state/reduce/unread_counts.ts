/**
 * Updates unread counts.
 *
 * Counts follow events, not the messages in them: a message in an event may already be in a later state.
 */
import type { ReadMark } from '../../api/events';
import type { ConversationId, Message, Reading, Snapshot } from '../../api/model';
import { putSorted } from './lists';
import { done, type ReduceStep } from './step';
import { hasConversation } from './visibility';

/** Limit of unread mentions per conversation in a snapshot. */
export const SNAPSHOT_MENTIONS_MAX = 100;

/** Counts a posted message as unread, unless the reader wrote it. Agents have an inbox instead. */
export function countPost(snapshot: Snapshot, message: Message): ReduceStep {
  if (snapshot.reader.startsWith('agt_') || !hasConversation(snapshot, message.to)) return done(snapshot);
  const before = readingIn(snapshot, message.to) ?? emptyReading(message.to);
  if (message.seq !== before.last_seq + 1) return { snapshot, outcome: 'hole' };
  return done(put(snapshot, afterPost(before, message, snapshot.reader)));
}

/** An edit may add or remove a mention of the reader. */
export function countEdit(snapshot: Snapshot, message: Message): ReduceStep {
  const reading = readingIn(snapshot, message.to);
  if (!reading || message.seq <= reading.read_seq) return done(snapshot);
  if (!calls(message, snapshot.reader)) return dropMention(snapshot, reading, message.seq);
  return done(put(snapshot, { ...reading, mentions: withMention(reading.mentions, message.seq) }));
}

export function countRemoval(snapshot: Snapshot, message: Message): ReduceStep {
  const reading = readingIn(snapshot, message.to);
  if (!reading || message.seq <= reading.read_seq) return done(snapshot);
  return dropMention(snapshot, { ...reading, unread: Math.max(0, reading.unread - 1) }, message.seq);
}

export function countRead(snapshot: Snapshot, mark: ReadMark): ReduceStep {
  const reading = mark.reader === snapshot.reader ? readingIn(snapshot, mark.conversation_id) : undefined;
  if (!reading) return done(snapshot);
  const read_seq = Math.max(mark.seq, reading.read_seq);
  const mentions = reading.mentions.filter((seq) => seq > mark.seq);
  return done(put(snapshot, { ...reading, read_seq, unread: mark.unread ?? 0, mentions }));
}

function afterPost(reading: Reading, message: Message, reader: string): Reading {
  const last_seq = message.seq;
  // An author has read what is above.
  if (message.from.id === reader) return { ...reading, last_seq, read_seq: last_seq, unread: 0, mentions: [] };
  const isCall = calls(message, reader);
  const mentions = isCall ? withMention(reading.mentions, message.seq) : reading.mentions;
  return { ...reading, last_seq, unread: reading.unread + 1, mentions };
}

/** A full list may lack an older mention, which would now belong into it. */
function dropMention(snapshot: Snapshot, reading: Reading, seq: number): ReduceStep {
  if (!reading.mentions.includes(seq)) return done(put(snapshot, reading));
  const wasFull = reading.mentions.length >= SNAPSHOT_MENTIONS_MAX;
  if (wasFull) return { snapshot, outcome: 'reload' };
  return done(put(snapshot, { ...reading, mentions: reading.mentions.filter((one) => one !== seq) }));
}

function withMention(mentions: number[], seq: number): number[] {
  if (mentions.includes(seq)) return mentions;
  const index = mentions.findLastIndex((one) => one < seq) + 1;
  return mentions.toSpliced(index, 0, seq).slice(-SNAPSHOT_MENTIONS_MAX);
}

function readingIn(snapshot: Snapshot, conversation: ConversationId): Reading | undefined {
  return snapshot.reading.find((one) => one.conversation_id === conversation);
}

function put(snapshot: Snapshot, reading: Reading): Snapshot {
  if (readingIn(snapshot, reading.conversation_id) === reading) return snapshot;
  return { ...snapshot, reading: putSorted(snapshot.reading, reading, (one) => [one.conversation_id]) };
}

function emptyReading(conversation_id: ConversationId): Reading {
  return { conversation_id, last_seq: 0, read_seq: 0, unread: 0, mentions: [] };
}

function calls(message: Message, member: string): boolean {
  return !message.removed_at && (message.mentions ?? []).includes(member);
}
