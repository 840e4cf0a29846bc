/** Scroll anchoring: what stays in place while other rows change their size. Pure: geometry in, scroll position out. */
import { kindOf } from '../rows/rows';

export type ScrollAnchor =
  /** The end of the list stays at the end of the viewport. */
  | { readonly at: 'end' }
  /** The row stays at this distance from the top; negative when it starts above. */
  | { readonly at: 'row'; readonly key: string; readonly distance: number }
  /** The row stays in the middle. */
  | { readonly at: 'middle'; readonly key: string };

/** Positions of rows: measured where they were shown, estimated elsewhere. */
export interface Geometry {
  readonly keys: readonly string[];
  /** The scroll position. */
  readonly top: number;
  readonly viewport: number;
  /** The maximum scroll position. */
  readonly end: number;
  indexAt(offset: number): number;
  offsetOf(index: number): number;
  sizeOf(index: number): number;
}

export const ANCHOR_END: ScrollAnchor = { at: 'end' };

/** Space above a row that is too tall for the middle, or that was scrolled into view. */
export const ROW_MARGIN_PX = 16;

/** Returns the scroll position for an anchor; undefined when its row is not loaded. */
export function topFor(hold: ScrollAnchor, geometry: Geometry): number | undefined {
  if (hold.at === 'end') return geometry.end;
  const index = geometry.keys.indexOf(hold.key);
  if (index < 0) return undefined;
  const distance = hold.at === 'row' ? hold.distance : middleDistance(geometry, index);
  return Math.min(Math.max(geometry.offsetOf(index) - distance, 0), geometry.end);
}

/**
 * Anchors at the first message that starts inside the viewport, else at the one that fills it.
 *
 * Only messages are anchors: other rows come and go. A message that starts above is avoided, since an image that loads
 * in it would move the rows below.
 */
export function anchorAtTop(geometry: Geometry): ScrollAnchor {
  const { keys, top, viewport } = geometry;
  const first = geometry.indexAt(top);
  let covering: number | undefined;
  for (let index = first; index < keys.length && geometry.offsetOf(index) < top + viewport; index += 1) {
    if (kindOf(keys[index] ?? '') !== 'message') continue;
    if (geometry.offsetOf(index) >= top) return holdRow(geometry, index);
    covering = index;
  }
  return covering === undefined ? holdNearest(geometry, first) : holdRow(geometry, covering);
}

/** Returns an anchor that shows a row completely with the least movement; undefined when it is visible. */
export function anchorInView(geometry: Geometry, key: string): ScrollAnchor | undefined {
  const index = geometry.keys.indexOf(key);
  if (index < 0) return undefined;
  const above = geometry.offsetOf(index) - geometry.top;
  const room = geometry.viewport - geometry.sizeOf(index) - ROW_MARGIN_PX;
  if (above < 0 || room < ROW_MARGIN_PX) return { at: 'row', key, distance: ROW_MARGIN_PX };
  return above > room ? { at: 'row', key, distance: room } : undefined;
}

/** Returns the last message whose end is visible: everything up to it was seen. */
export function lastSeen({ keys, top, viewport, ...rows }: Geometry): string | undefined {
  const bottom = top + viewport + 1;
  for (let index = Math.min(rows.indexAt(bottom), keys.length - 1); index >= 0; index -= 1) {
    const key = keys[index] ?? '';
    if (kindOf(key) === 'message' && rows.offsetOf(index) + rows.sizeOf(index) <= bottom) return key;
  }
  return undefined;
}

function middleDistance(geometry: Geometry, index: number): number {
  return Math.max((geometry.viewport - geometry.sizeOf(index)) / 2, ROW_MARGIN_PX);
}

function holdRow(geometry: Geometry, index: number): ScrollAnchor {
  return { at: 'row', key: geometry.keys[index] ?? '', distance: geometry.offsetOf(index) - geometry.top };
}

/** No message is visible: the next one below, else the last one above. */
function holdNearest(geometry: Geometry, from: number): ScrollAnchor {
  const isMessage = (key: string) => kindOf(key) === 'message';
  const below = geometry.keys.findIndex((key, index) => index >= from && isMessage(key));
  const index = below >= 0 ? below : geometry.keys.findLastIndex(isMessage);
  return index < 0 ? ANCHOR_END : holdRow(geometry, index);
}
