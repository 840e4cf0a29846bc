/** What stays still while everything else changes its size. Pure: geometry in, a scroll position out. */
import { kindOf } from '../rows/rows';

export type ScrollAnchor =
  /** The end of the list stays at the end of what is seen. */
  | { readonly at: 'end' }
  /** The row stays this far below the upper edge; less than nothing when it begins above. */
  | { readonly at: 'row'; readonly key: string; readonly distance: number }
  /** The row stays in the middle. */
  | { readonly at: 'middle'; readonly key: string };

/** What is known of the rows: measured where they were shown, guessed elsewhere. */
export interface Geometry {
  readonly keys: readonly string[];
  /** What is seen begins here. */
  readonly top: number;
  readonly viewport: number;
  /** The largest position. */
  readonly end: number;
  indexAt(offset: number): number;
  offsetOf(index: number): number;
  sizeOf(index: number): number;
}

export const ANCHOR_END: ScrollAnchor = { at: 'end' };

/** The row keeps this much air above it when it is too tall for the middle, or was brought into sight. */
export const AIR_PX = 16;

/** Where to scroll so that the hold is true; undefined when its row is not there. */
export function topFor(hold: ScrollAnchor, geometry: Geometry): number | undefined {
  if (hold.at === 'end') return geometry.end;
  const index = geometry.keys.indexOf(hold.key);
  if (index < 0) return undefined;
  const distance = hold.at === 'row' ? hold.distance : middleDistance(geometry, index);
  return Math.min(Math.max(geometry.offsetOf(index) - distance, 0), geometry.end);
}

/**
 * Holds what is being read: the first message that begins in sight, else the one that fills it.
 *
 * Lines are never held: they come and go. A message that begins above what is seen is not either, if there is another,
 * since what is late in it (an image) would push the reader.
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

/** Holds a row where it can be seen whole, moving as little as can be; undefined when it is in sight already. */
export function anchorInView(geometry: Geometry, key: string): ScrollAnchor | undefined {
  const index = geometry.keys.indexOf(key);
  if (index < 0) return undefined;
  const above = geometry.offsetOf(index) - geometry.top;
  const room = geometry.viewport - geometry.sizeOf(index) - AIR_PX;
  if (above < 0 || room < AIR_PX) return { at: 'row', key, distance: AIR_PX };
  return above > room ? { at: 'row', key, distance: room } : undefined;
}

/** The last message whose end is in sight: everything up to it was seen. */
export function lastSeen({ keys, top, viewport, ...rows }: Geometry): string | undefined {
  const bottom = top + viewport + 1;
  for (let index = Math.min(rows.indexAt(bottom), keys.length - 1); index >= 0; index -= 1) {
    const key = keys[index] ?? '';
    if (kindOf(key) === 'message' && rows.offsetOf(index) + rows.sizeOf(index) <= bottom) return key;
  }
  return undefined;
}

function middleDistance(geometry: Geometry, index: number): number {
  return Math.max((geometry.viewport - geometry.sizeOf(index)) / 2, AIR_PX);
}

function holdRow(geometry: Geometry, index: number): ScrollAnchor {
  return { at: 'row', key: geometry.keys[index] ?? '', distance: geometry.offsetOf(index) - geometry.top };
}

/** Only lines are in sight, or nothing: the next message below, else the last one above. */
function holdNearest(geometry: Geometry, from: number): ScrollAnchor {
  const isMessage = (key: string) => kindOf(key) === 'message';
  const below = geometry.keys.findIndex((key, index) => index >= from && isMessage(key));
  const index = below >= 0 ? below : geometry.keys.findLastIndex(isMessage);
  return index < 0 ? ANCHOR_END : holdRow(geometry, index);
}
