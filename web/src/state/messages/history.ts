/** Loads ranges of the history: the newest, around a message, or those that were loaded before. */
import { type Hub, PAGE_ITEMS_MAX } from '../../api/hub';
import type { ConversationId, Message } from '../../api/model';

const AROUND_ITEMS = PAGE_ITEMS_MAX / 2;

/** A range of the history, oldest first, and whether it reaches the ends. */
export interface HistoryPart {
  readonly messages: readonly Message[];
  readonly newest: boolean;
  readonly oldest: boolean;
}

type HistoryRequests = Pick<Hub, 'history' | 'message'>;

export async function newestPage(hub: HistoryRequests, conversation: ConversationId): Promise<HistoryPart> {
  const page = await hub.history(conversation, { limit: PAGE_ITEMS_MAX });
  return { messages: page.items.toReversed(), newest: true, oldest: !page.next };
}

/** Loads the messages around one; undefined when it is not in the conversation. */
export async function aroundMessage(
  hub: HistoryRequests,
  conversation: ConversationId,
  messageId: string,
): Promise<HistoryPart | undefined> {
  const message = await hub.message(messageId);
  if (message?.to !== conversation) return undefined;
  const [before, after] = await Promise.all([
    hub.history(conversation, { before: message.seq + 1, limit: AROUND_ITEMS }),
    hub.history(conversation, { since: message.seq, limit: AROUND_ITEMS }),
  ]);
  return {
    messages: [...before.items.toReversed(), ...after.items],
    newest: !after.next,
    oldest: !before.next,
  };
}

/** Pages that are loaded again at once; older ones are loaded when the reader scrolls there. */
export const PAGES_AGAIN_MAX = 10;

/** Loads the loaded range again: back from the newest, or forward from the oldest loaded message. */
export async function pagesAgain(
  hub: HistoryRequests,
  conversation: ConversationId,
  loaded: { first: number; last: number; reachesNewest: boolean },
): Promise<HistoryPart> {
  return loaded.reachesNewest ? readBackTo(hub, conversation, loaded.first) : onFrom(hub, conversation, loaded);
}

async function readBackTo(hub: HistoryRequests, conversation: ConversationId, first: number): Promise<HistoryPart> {
  let messages: readonly Message[] = [];
  let oldest = false;
  for (let pages = 0; pages < PAGES_AGAIN_MAX && !oldest; pages += 1) {
    const before = messages[0]?.seq;
    const page = await hub.history(conversation, { before, limit: PAGE_ITEMS_MAX });
    messages = [...page.items.toReversed(), ...messages];
    oldest = !page.next;
    if ((messages[0]?.seq ?? 0) <= first) break;
  }
  return { messages, newest: true, oldest };
}

async function onFrom(
  hub: HistoryRequests,
  conversation: ConversationId,
  { first, last }: { first: number; last: number },
): Promise<HistoryPart> {
  let messages: readonly Message[] = [];
  let newest = false;
  for (let pages = 0; pages < PAGES_AGAIN_MAX && !newest; pages += 1) {
    const since = messages.at(-1)?.seq ?? first - 1;
    const page = await hub.history(conversation, { since, limit: PAGE_ITEMS_MAX });
    messages = [...messages, ...page.items];
    newest = !page.next;
    if ((messages.at(-1)?.seq ?? last) >= last) break;
  }
  return { messages, newest, oldest: first <= 1 };
}
