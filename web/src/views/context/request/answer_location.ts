/** Where an agent would answer, and to what: the thread that is asked about, or the conversation that is open. */
import { type Accessor, createMemo } from 'solid-js';
import type { Message } from '../../../api/model';
import { route } from '../../../platform/router';
import type { MessageList, Store } from '../../../state/contract';
import { conversationOf, readersOf, titleOf } from '../../../state/selectors';
import { excerpt } from '../../run/run_text';
import { type ContextQuery, placeOf } from '../context_route';
import { createLatestRequest } from './latest_request';

export interface AnswerLocation {
  readonly conversationId: string;
  /** Who would answer there. */
  readonly agentId: string;
  readonly title: string;
  readonly isThread: boolean;
  /** Nobody can be asked to answer where they do not read. */
  readonly isRead: boolean;
  /** What it would be asked to answer. */
  readonly message?: Message;
}

/** `unknown` while nobody can say what is the newest there; undefined where no conversation is open. */
export type KnownLocation = AnswerLocation | 'unknown' | undefined;

export interface FollowedLocation {
  readonly place: Accessor<KnownLocation>;
  /** Something has happened: what was the newest may not be it any more. */
  note(): void;
}

/** Reads the place from the aim and from what is open. */
export function useAnswerLocation(store: Store, query: Accessor<ContextQuery>): FollowedLocation {
  const conversationId = createMemo(() => placeOf(route(), query()));
  const messageList = createMemo(() => {
    const id = conversationId();
    return id ? store.messageList(id) : undefined;
  });
  // A list that stands at an old message does not have the newest ones.
  const isAway = createMemo(() => {
    const messages = messageList();
    return !!messages && !isUnknown(messages) && messages.newer() !== 'reached';
  });
  const newest = createLatestRequest(
    () => (isAway() ? conversationId() : undefined),
    (id) => store.commands.loadNewest(id),
    { of: () => conversationId() ?? '' },
  );
  const place = createMemo<KnownLocation>((before) => {
    const [id, messages, snapshot] = [conversationId(), messageList(), store.snapshot()];
    if (!id || !messages) return undefined;
    if (!snapshot || isUnknown(messages)) return 'unknown';
    const { agentId } = query();
    const known = isAway() ? newest.answer() : undefined;
    // What was the newest a moment ago is better than nothing, and mostly still is.
    if (isAway() && !known && !newest.refusal()) return isPlace(before, id, agentId) ? before : 'unknown';
    const found = known ? known.find((one) => isFor(one, agentId)) : newestFor(messages, agentId);
    const message = found ?? rootOf(store, id, agentId);
    return {
      conversationId: id,
      agentId,
      title: titleOf(snapshot, id),
      isThread: conversationOf(snapshot, id)?.type === 'thread',
      isRead: readersOf(snapshot, id).includes(agentId),
      ...(message ? { message } : {}),
    };
  });
  return { place, note: newest.note };
}

const isUnknown = (messages: MessageList): boolean => messages.loading() && !messages.failed();

function isPlace(place: KnownLocation, conversationId: string, agentId: string): place is AnswerLocation {
  return typeof place === 'object' && place.conversationId === conversationId && place.agentId === agentId;
}

/** In words: as if it were asked what. */
export function queryText(place: KnownLocation): string {
  if (place === 'unknown') return '';
  if (!place) return 'As if it began by itself, in no conversation.';
  if (!place.isRead) return `It does not read ${place.title}. As if it began by itself, in no conversation.`;
  const where = place.isThread ? `the t${place.title.slice(1)}` : place.title;
  const { message } = place;
  if (!message) return `As if it were to answer in ${where}.`;
  return `As if it were to answer ${message.from.name} in ${where}: “${excerpt(message.body, 80)}”`;
}

/** The newest message that an agent could be asked to answer. */
function newestFor(messageList: MessageList, agentId: string): Message | undefined {
  if (messageList.newer() !== 'reached') return undefined;
  const id = messageList.ids().findLast((one) => isFor(messageList.message(one), agentId));
  return id === undefined ? undefined : messageList.message(id);
}

/** What a thread without replies hangs below, if its channel is loaded. */
function rootOf(store: Store, id: string, agentId: string): Message | undefined {
  const snapshot = store.snapshot();
  const found = snapshot && conversationOf(snapshot, id);
  if (found?.type !== 'thread') return undefined;
  const root = store.messageList(found.thread.channel_id).message(found.thread.root_message_id);
  return isFor(root, agentId) ? root : undefined;
}

/** Nobody answers themselves, the hub, or what is not finished. */
function isFor(message: Message | undefined, agentId: string): boolean {
  return (
    message !== undefined &&
    message.state === 'complete' &&
    !message.removed_at &&
    message.from.id !== agentId &&
    message.from.type !== 'host' &&
    message.from.type !== 'system'
  );
}
