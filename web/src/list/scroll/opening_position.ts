/** Where a conversation is opened: at the message of a link, where the reader left it, at what is new, or at its end. */
import type { MessageList } from '../../state/contract';
import { UNREAD } from '../rows/rows';
import type { SavedPosition } from './saved_positions';
import { ANCHOR_END, type ScrollAnchor } from './scroll_anchor';

/** The unread line stands this far below the upper edge, so that what was read last is seen above it. */
const UNREAD_DISTANCE_PX = 96;

export interface OpeningRequest {
  readonly targetId: string | undefined;
  readonly place: SavedPosition | undefined;
  /** Whether there is an unread line; answered when anything is loaded. */
  hasUnread(): Promise<boolean>;
  /** The message of the link does not exist any more. */
  onMissing(): void;
}

/**
 * Loads what is needed for it. What is loaded already is answered before the next paint; what is not is asked for at once,
 * so that the newest messages are not loaded on the way to an older one.
 */
export async function findOpening(messageList: MessageList, wishes: OpeningRequest): Promise<ScrollAnchor> {
  const { targetId, place } = wishes;
  if (targetId !== undefined) {
    if (await isThere(messageList, targetId)) return { at: 'middle', key: targetId };
    wishes.onMissing();
  }
  if (place?.at === 'message' && (await isThere(messageList, place.id))) {
    return { at: 'row', key: place.id, distance: place.distance };
  }
  return (await wishes.hasUnread()) ? { at: 'row', key: UNREAD, distance: UNREAD_DISTANCE_PX } : ANCHOR_END;
}

/** A hub that cannot be reached counts as no: the list then opens as if nothing had been wished. */
async function isThere(messageList: MessageList, id: string): Promise<boolean> {
  return messageList.loadAround(id).catch(() => false);
}
