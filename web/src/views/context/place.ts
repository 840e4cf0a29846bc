/** Where an agent would answer, and to what: the thread that is asked about, or the conversation that is open. */
import { createMemo } from 'solid-js';
import type { Message } from '../../api/model';
import { route } from '../../platform/router';
import type { Store, Timeline } from '../../state/contract';
import { conversationOf, readersOf, titleOf } from '../../state/select';
import { excerpt } from '../run_words';
import type { ContextAim } from './context_route';

export interface Place {
  readonly conversationId: string;
  readonly title: string;
  /** Nobody can be asked to answer where they do not read. */
  readonly isRead: boolean;
  /** What it would be asked to answer. */
  readonly message?: Message;
}

/** `unknown` while nobody can say what is the newest there; undefined where no conversation is open. */
export type KnownPlace = Place | 'unknown' | undefined;

/** Reads the place from what is open. */
export function usePlace(store: Store, aim: () => ContextAim): () => KnownPlace {
  const conversationId = createMemo(() => {
    const here = route();
    return aim().threadId ?? (here.view === 'conversation' ? here.conversationId : undefined);
  });
  const timeline = createMemo(() => {
    const id = conversationId();
    return id ? store.timeline(id) : undefined;
  });
  return createMemo(() => {
    const [id, messages, snapshot] = [conversationId(), timeline(), store.snapshot()];
    if (!id || !messages) return undefined;
    if (!snapshot || (messages.loading() && !messages.failed())) return 'unknown';
    const { agentId } = aim();
    const message = newestFor(messages, agentId) ?? rootOf(store, id, agentId);
    return {
      conversationId: id,
      title: titleOf(snapshot, id),
      isRead: readersOf(snapshot, id).includes(agentId),
      ...(message ? { message } : {}),
    };
  });
}

/** In words: as if it were asked what. */
export function aimWords(place: KnownPlace): string {
  if (place === 'unknown') return '';
  if (!place) return 'As if it began by itself, in no conversation.';
  if (!place.isRead) return `It does not read ${place.title}. As if it began by itself, in no conversation.`;
  const where = place.title.startsWith('Thread') ? `the t${place.title.slice(1)}` : place.title;
  const { message } = place;
  if (!message) return `As if it were to answer in ${where}.`;
  return `As if it were to answer ${message.from.name} in ${where}: “${excerpt(message.body, 80)}”`;
}

/** The newest message that an agent could be asked to answer. */
function newestFor(timeline: Timeline, agentId: string): Message | undefined {
  if (timeline.newer() !== 'reached') return undefined;
  const id = timeline.ids().findLast((one) => isFor(timeline.message(one), agentId));
  return id === undefined ? undefined : timeline.message(id);
}

/** What a thread without replies hangs below, if its channel is loaded. */
function rootOf(store: Store, id: string, agentId: string): Message | undefined {
  const snapshot = store.snapshot();
  const found = snapshot && conversationOf(snapshot, id);
  if (found?.type !== 'thread') return undefined;
  const root = store.timeline(found.thread.channel_id).message(found.thread.root_message_id);
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
