/** What follows from what the reader sees: more is loaded near the ends, and what was seen counts as read. */
import { untrack } from 'solid-js';
import type { MessageList } from '../state/contract';
import { type Geometry, lastSeen } from './scroll/scroll_anchor';

/** So far from an end of what is loaded, more is fetched: early enough that readers rarely see the end. */
export const LOAD_WITHIN_PX = 1_200;

export interface VisibleRows {
  /** The reader sees this part. */
  see(geometry: Geometry): void;
  /** The number of the last message that somebody saw. */
  seenSeq(): number;
}

export function createVisibleRows(
  messageList: MessageList,
  isPageWatched: () => boolean,
  markRead: (seq: number) => void,
): VisibleRows {
  let seen = 0;
  let isLoading = false;

  /** One page at a time. A failed one shows at its end of the list, where it can be tried again. */
  async function load(act: () => Promise<void>): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    await act().catch(() => {});
    isLoading = false;
  }

  function loadNearEnds({ top, end }: Geometry): void {
    if (top < LOAD_WITHIN_PX && messageList.older() === 'more') void load(() => messageList.loadOlder());
    else if (end - top < LOAD_WITHIN_PX && messageList.newer() === 'more') void load(() => messageList.loadNewer());
  }

  function noteSeen(geometry: Geometry): void {
    const last = isPageWatched() ? lastSeen(geometry) : undefined;
    const seq = last === undefined ? 0 : (messageList.message(last)?.seq ?? 0);
    if (seq <= seen) return;
    seen = seq;
    markRead(seq);
  }

  return {
    seenSeq: () => seen,
    see: (geometry) =>
      untrack(() => {
        loadNearEnds(geometry);
        noteSeen(geometry);
      }),
  };
}
