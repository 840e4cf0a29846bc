/** Computes the position of a popover: inside the window, above the anchor when there is no space below. */

export interface AnchorBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PopoverPosition {
  readonly left: number;
  readonly top: number;
  /** The popover scrolls when it is higher. */
  readonly heightMax: number;
}

const EDGE = 8;
const DISTANCE = 4;

/** `align` is the edge that both have in common. */
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
  const preferred = align === 'start' ? anchor.left : anchor.left + anchor.width - size.width;
  const left = Math.max(EDGE, Math.min(preferred, view.width - size.width - EDGE));
  return { left, top, heightMax };
}
