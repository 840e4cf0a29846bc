/** Pieces of the history that take several pages. */
import { type Hub, PAGE_ITEMS_MAX } from '../api/hub';
import type { ConversationId, Message } from '../api/model';
import type { Piece } from './conversation';

/** Pages that are read again at once; what stands before them is loaded when somebody scrolls there. */
export const PAGES_AGAIN_MAX = 10;

/** Reads again what was loaded: from the newest back, or from the oldest loaded on when the newest was not. */
export async function pagesAgain(
  hub: Pick<Hub, 'history'>,
  conversation: ConversationId,
  loaded: { first: number; last: number; reachesNewest: boolean },
): Promise<Piece> {
  return loaded.reachesNewest ? backTo(hub, conversation, loaded.first) : onFrom(hub, conversation, loaded);
}

async function backTo(hub: Pick<Hub, 'history'>, conversation: ConversationId, first: number): Promise<Piece> {
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
  hub: Pick<Hub, 'history'>,
  conversation: ConversationId,
  { first, last }: { first: number; last: number },
): Promise<Piece> {
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
