/**
 * Messages on their way to the hub. Pure; `sender.ts` sends them, and `outbox_store.ts` keeps them over reloads.
 *
 * In order for each conversation, and once: each has the id that its message will have, and the hub takes an id only once.
 */
import { addressOf } from '../../api/hub';
import type { PostMessage } from '../../api/model';
import { Refusal } from '../../api/refusal';
import type { Draft, Outgoing } from '../contract';

/** Messages that can be on their way at once. */
export const OUTBOX_MAX = 200;

/** By when they were written. */
export function inOrder(list: readonly Outgoing[]): readonly Outgoing[] {
  return list.toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
}

/** Puts a message into the list, in the place of itself when it is there. */
export function put(list: readonly Outgoing[], one: Outgoing): readonly Outgoing[] {
  return inOrder([...list.filter((other) => other.id !== one.id), one]);
}

export function drop(list: readonly Outgoing[], id: string): readonly Outgoing[] {
  return list.some((one) => one.id === id) ? list.filter((one) => one.id !== id) : list;
}

/** The messages that may go now: the first of each conversation that was not refused, unless the conversation must wait. */
export function nextToSend(list: readonly Outgoing[], mustWait: ReadonlySet<string>): Outgoing | undefined {
  const seen = new Set<string>();
  return list.find((one) => {
    if (one.status.state === 'refused' || seen.has(one.conversationId)) return false;
    seen.add(one.conversationId);
    return !mustWait.has(one.conversationId);
  });
}

/** What goes over the wire. */
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

/** What was in a message that did not arrive, for the composer. */
export function draftOf({ body, importance, blocking, ask, attachments, replyTo }: Outgoing): Draft {
  return { text: body, importance, blocking, attachments, ...(ask ? { ask } : {}), ...(replyTo ? { replyTo } : {}) };
}

/** Whether the same again may work later: the hub was not reached, is busy, or does not know the session. */
export function isWorthWaiting(refusal: Refusal): boolean {
  const { status = 0, retryable = false } = refusal.more;
  return refusal.isUnreachable || retryable || status >= 500 || status === 429 || status === 401;
}

/** An id of the page's own for a message: by its time, so that ids sort as they were made. */
export function newMessageId(now: number, random: () => number = Math.random): string {
  const chance = Array.from({ length: 12 }, () => Math.floor(random() * 36).toString(36)).join('');
  return `msg_${now.toString(36)}-${chance}`;
}

/** Reads a message that was kept. Whatever this page did not write so is not one. */
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

/** A refusal is an object with methods, which JSON forgets; who was being sent is to be sent again. */
function readStatus(status: Partial<Outgoing['status']> | undefined): Outgoing['status'] {
  if (status?.state !== 'refused') return { state: 'waiting' };
  const { code, message, more } = (status as { refusal: Partial<Refusal> }).refusal;
  return { state: 'refused', refusal: new Refusal(code ?? 'PAGE', message ?? 'It was refused.', more) };
}

/** A message in the form that is kept. */
export function toStored(one: Outgoing): unknown {
  if (one.status.state !== 'refused') return { ...one, status: { state: 'waiting' } };
  const { code, message, more } = one.status.refusal;
  return { ...one, status: { state: 'refused', refusal: { code, message, more } } };
}
