/** Where an agent would answer, and to which message. */
import { type Accessor, createMemo } from 'solid-js';
import type { Message } from '../../../api/model';
import { route } from '../../../platform/router';
import type { MessageList, Store } from '../../../state/contract';
import { conversationOf, readersOf, titleOf } from '../../../state/selectors';
import { excerpt } from '../../run/run_text';
import { type ContextQuery, locationOf } from '../context_route';
import { createLatestRequest } from './latest_request';

export interface AnswerLocation {
  readonly conversationId: string;
  readonly agentId: string;
  readonly title: string;
  readonly isThread: boolean;
  /** The agent can read the conversation. */
  readonly isRead: boolean;
  /** The message to answer. */
  readonly message?: Message;
}

/** `unknown` while the newest message is not loaded; undefined without a conversation. */
export type KnownLocation = AnswerLocation | 'unknown' | undefined;

export interface FollowedLocation {
  readonly location: Accessor<KnownLocation>;
  /** Something happened: the newest message may be another one. */
  note(): void;
}

/** Derives the location from the query and the open conversation. */
export function useAnswerLocation(store: Store, query: Accessor<ContextQuery>): FollowedLocation {
  const conversationId = createMemo(() => locationOf(route(), query()));
  const messageList = createMemo(() => {
    const id = conversationId();
    return id ? store.messageList(id) : undefined;
  });
  // A list that shows an older range does not contain the newest messages.
  const isAway = createMemo(() => {
    const messages = messageList();
    return !!messages && !isUnknown(messages) && messages.newer() !== 'reached';
  });
  const newest = createLatestRequest(
    () => (isAway() ? conversationId() : undefined),
    (id) => store.commands.loadNewest(id),
    { of: () => conversationId() ?? '' },
  );
  const location = createMemo<KnownLocation>((before) => {
    const [id, messages, snapshot] = [conversationId(), messageList(), store.snapshot()];
    if (!id || !messages) return undefined;
    if (!snapshot || isUnknown(messages)) return 'unknown';
    const { agentId } = query();
    const known = isAway() ? newest.answer() : undefined;
    // The last known newest message is probably still right.
    if (isAway() && !known && !newest.refusal()) return isSameLocation(before, id, agentId) ? before : 'unknown';
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
  return { location, note: newest.note };
}

const isUnknown = (messages: MessageList): boolean => messages.loading() && !messages.failed();

function isSameLocation(location: KnownLocation, conversationId: string, agentId: string): location is AnswerLocation {
  return typeof location === 'object' && location.conversationId === conversationId && location.agentId === agentId;
}

/** Describes the location as the answer to "what about?". */
export function queryText(location: KnownLocation): string {
  if (location === 'unknown') return '';
  if (!location) return 'For a run without a conversation.';
  if (!location.isRead)
    return `The agent cannot read ${location.title}. The preview is for a run without a conversation.`;
  const where = location.isThread ? `the t${location.title.slice(1)}` : location.title;
  const { message } = location;
  if (!message) return `For an answer in ${where}.`;
  return `For an answer to ${message.from.name} in ${where}: “${excerpt(message.body, 80)}”`;
}

/** Returns the newest message that an agent could answer. */
function newestFor(messageList: MessageList, agentId: string): Message | undefined {
  if (messageList.newer() !== 'reached') return undefined;
  const id = messageList.ids().findLast((one) => isFor(messageList.message(one), agentId));
  return id === undefined ? undefined : messageList.message(id);
}

/** Returns the first message of a thread without replies, if its channel is loaded. */
function rootOf(store: Store, id: string, agentId: string): Message | undefined {
  const snapshot = store.snapshot();
  const found = snapshot && conversationOf(snapshot, id);
  if (found?.type !== 'thread') return undefined;
  const root = store.messageList(found.thread.channel_id).message(found.thread.root_message_id);
  return isFor(root, agentId) ? root : undefined;
}

/** Agents do not answer themselves, the hub, or unfinished messages. */
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
