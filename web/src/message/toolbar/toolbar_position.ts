/** Where the actions of a message stand: beside its bubble when there is room, else above the end of its edge. Pure. */

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

const GAP = 8;
/** How far it reaches into the bubble when it stands above: the pointer can go straight up to it. */
const OVERLAP = 5;

/** `bubble` and `row` are in one system; the answer is relative to the row. */
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
