/**
 * Outgoing messages. Pure; `sender.ts` sends them, `outbox_store.ts` stores them.
 *
 * Sent in order within a conversation and once: each has the id of its message, and the hub accepts an id only once.
 */
import { addressOf } from '../../api/hub';
import type { PostMessage } from '../../api/model';
import { Refusal } from '../../api/refusal';
import type { Draft, Outgoing } from '../contract';

export const OUTBOX_MAX = 200;

/** By creation time. */
export function inOrder(list: readonly Outgoing[]): readonly Outgoing[] {
  return list.toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
}

/** Adds or replaces a message. */
export function put(list: readonly Outgoing[], one: Outgoing): readonly Outgoing[] {
  return inOrder([...list.filter((other) => other.id !== one.id), one]);
}

export function drop(list: readonly Outgoing[], id: string): readonly Outgoing[] {
  return list.some((one) => one.id === id) ? list.filter((one) => one.id !== id) : list;
}

/** Returns the next message to send: the first of a conversation that was not refused and does not have to wait. */
export function nextToSend(list: readonly Outgoing[], mustWait: ReadonlySet<string>): Outgoing | undefined {
  const seen = new Set<string>();
  return list.find((one) => {
    if (one.status.state === 'refused' || seen.has(one.conversationId)) return false;
    seen.add(one.conversationId);
    return !mustWait.has(one.conversationId);
  });
}

/** Returns the request body. */
export function postOf(one: Outgoing): Partial<PostMessage> {
  return {
    id: one.id,
    ...addressOf(one.conversationId),
    body: one.body,
    importance: one.importance,
    blocking: one.blocking,
    ...(one.blocking && one.ask ? { question: one.ask } : {}),
    ...(one.replyTo ? { reply_to: one.replyTo } : {}),
    ...(one.attachments.length > 0 ? { attachments: [...one.attachments] } : {}),
    ...(one.confirmWide ? { confirm_wide: true } : {}),
  };
}

/** Converts an outgoing message back to a draft. */
export function draftOf({ body, importance, blocking, ask, attachments, replyTo }: Outgoing): Draft {
  return { text: body, importance, blocking, attachments, ...(ask ? { ask } : {}), ...(replyTo ? { replyTo } : {}) };
}

/** Whether a retry may succeed: the hub was unreachable, busy, or rejected the session. */
export function isWorthWaiting(refusal: Refusal): boolean {
  const { status = 0, retryable = false } = refusal.more;
  return refusal.isUnreachable || retryable || status >= 500 || status === 429 || status === 401;
}

/** Creates a message id; ids sort by time. */
export function newMessageId(now: number, random: () => number = Math.random): string {
  const chance = Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36)).join('');
  return `msg_${now.toString(36)}-${chance}`;
}

/** Reads a stored message; undefined when it is not valid. */
export function readStored(value: unknown): Outgoing | undefined {
  const one = value as Partial<Outgoing> | undefined;
  const isOne =
    typeof one?.id === 'string' &&
    typeof one.conversationId === 'string' &&
    typeof one.body === 'string' &&
    typeof one.at === 'number' &&
    Array.isArray(one.attachments);
  return isOne ? ({ ...one, status: readStatus(one.status) } as Outgoing) : undefined;
}

/** JSON drops the methods of a refusal; a message that was being sent is sent again. */
function readStatus(status: Partial<Outgoing['status']> | undefined): Outgoing['status'] {
  if (status?.state !== 'refused') return { state: 'waiting' };
  const { code, message, more } = (status as { refusal: Partial<Refusal> }).refusal;
  return { state: 'refused', refusal: new Refusal(code ?? 'PAGE', message ?? 'The hub rejected the message.', more) };
}

/** Converts a message for storage. */
export function toStored(one: Outgoing): unknown {
  if (one.status.state !== 'refused') return { ...one, status: { state: 'waiting' } };
  const { code, message, more } = one.status.refusal;
  return { ...one, status: { state: 'refused', refusal: { code, message, more } } };
}
