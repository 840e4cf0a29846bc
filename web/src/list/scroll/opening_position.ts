/**
 * Decides where a conversation opens: at the message of a link, at the saved position, at the unread line, or at the
 * end.
 */
import type { MessageList } from '../../state/contract';
import { UNREAD } from '../rows/rows';
import type { SavedPosition } from './saved_positions';
import { ANCHOR_END, type ScrollAnchor } from './scroll_anchor';

/** Distance of the unread line from the top, so that the last read message is visible above it. */
const UNREAD_DISTANCE_PX = 96;

export interface OpeningRequest {
  readonly targetId: string | undefined;
  readonly position: SavedPosition | undefined;
  /** Whether there is an unread line; resolves once messages are loaded. */
  hasUnread(): Promise<boolean>;
  /** The message of the link does not exist. */
  onMissing(): void;
}

/**
 * Loads the messages around the position. Loaded messages resolve before the next paint; others are requested at once,
 * so that the newest are not loaded on the way to an older one.
 */
export async function findOpening(messageList: MessageList, request: OpeningRequest): Promise<ScrollAnchor> {
  const { targetId, position } = request;
  if (targetId !== undefined) {
    if (await isThere(messageList, targetId)) return { at: 'middle', key: targetId };
    request.onMissing();
  }
  if (position?.at === 'message' && (await isThere(messageList, position.id))) {
    return { at: 'row', key: position.id, distance: position.distance };
  }
  return (await request.hasUnread()) ? { at: 'row', key: UNREAD, distance: UNREAD_DISTANCE_PX } : ANCHOR_END;
}

/** An unreachable hub counts as no: the list then opens at its default position. */
async function isThere(messageList: MessageList, id: string): Promise<boolean> {
  return messageList.loadAround(id).catch(() => false);
}
