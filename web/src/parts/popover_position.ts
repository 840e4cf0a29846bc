/** Where a list opens beside what opened it: always inside the window, above when there is no room below. */

export interface AnchorBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PopoverPosition {
  readonly left: number;
  readonly top: number;
  /** The list scrolls in itself when it is higher than the room that there is. */
  readonly heightMax: number;
}

const EDGE = 8;
const DISTANCE = 4;

/** `align` says which edges of the two stand on one line. */
export function positionBeside(
  anchor: AnchorBox,
  size: { readonly width: number; readonly height: number },
  view: { readonly width: number; readonly height: number },
  align: 'start' | 'end',
): PopoverPosition {
  const roomBelow = view.height - anchor.top - anchor.height - DISTANCE - EDGE;
  const roomAbove = anchor.top - DISTANCE - EDGE;
  const isBelow = size.height <= roomBelow || roomBelow >= roomAbove;
  const heightMax = Math.max(0, isBelow ? roomBelow : roomAbove);
  const height = Math.min(size.height, heightMax);
  const top = isBelow ? anchor.top + anchor.height + DISTANCE : anchor.top - DISTANCE - height;
  const wished = align === 'start' ? anchor.left : anchor.left + anchor.width - size.width;
  const left = Math.max(EDGE, Math.min(wished, view.width - size.width - EDGE));
  return { left, top, heightMax };
}
