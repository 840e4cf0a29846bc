/** Computes the position of the toolbar: beside the bubble, or above its end when there is no space. Pure. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const GAP = 8;
/** Overlap with the bubble when it is above, so that the pointer can move straight to it. */
const OVERLAP = 5;

/** Returns a position relative to the row. */
export function placeToolbar(
  bubble: Box,
  row: Box,
  size: { readonly width: number; readonly height: number },
  side: 'start' | 'end',
): { left: number; top: number } {
  const start = bubble.left - row.left;
  const end = start + bubble.width;
  const top = bubble.top - row.top;
  const room = side === 'end' ? start : row.width - end;
  if (room >= size.width + GAP) {
    return { left: side === 'end' ? start - GAP - size.width : end + GAP, top };
  }
  const left = side === 'end' ? start : end - size.width;
  return { left: Math.max(0, Math.min(left, row.width - size.width)), top: top - size.height + OVERLAP };
}
