/** Effects of the visible range: loads more near the ends and marks seen messages as read. */
import { untrack } from 'solid-js';
import type { MessageList } from '../state/contract';
import { type Geometry, lastSeen } from './scroll/scroll_anchor';

/** Distance from an end of the loaded range at which more is loaded. */
export const LOAD_WITHIN_PX = 1_200;

export interface VisibleRows {
  see(geometry: Geometry): void;
  /** Number of the last seen message. */
  seenSeq(): number;
}

export function createVisibleRows(
  messageList: MessageList,
  isPageWatched: () => boolean,
  markRead: (seq: number) => void,
): VisibleRows {
  let seen = 0;
  let isLoading = false;

  /** Loads one page at a time. An error shows at that end of the list, with a retry button. */
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
