/** Computes the position of the toolbar: beside the bubble, or above its end when there is no space. Pure. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

export interface ToolbarSize {
  readonly width: number;
  /** The width without the quick reactions. */
  readonly compactWidth: number;
  readonly height: number;
}

export interface ToolbarPosition {
  readonly left: number;
  readonly top: number;
  readonly isCompact: boolean;
}

const GAP = 8;
/** Overlap with the bubble when it is above, so that the pointer can move straight to it. */
const OVERLAP = 5;

/**
 * Returns a position relative to the row. The bubble of a streaming answer grows: its toolbar is at the end of the row,
 * where no text comes below it.
 */
export function placeToolbar(
  bubble: Box,
  row: Box,
  size: ToolbarSize,
  side: 'start' | 'end',
  growth: 'fixed' | 'growing' = 'fixed',
): ToolbarPosition {
  const start = bubble.left - row.left;
  const end = growth === 'growing' ? row.width : start + bubble.width;
  const top = bubble.top - row.top;
  const room = (side === 'end' ? start : row.width - end) - GAP;
  const isCompact = room < size.width;
  const width = isCompact ? size.compactWidth : size.width;
  if (room >= width) return { left: side === 'end' ? start - GAP - width : end + GAP, top, isCompact };
  const left = side === 'end' ? start : end - width;
  return { left: Math.max(0, Math.min(left, row.width - width)), top: top - size.height + OVERLAP, isCompact };
}
