/**
 * Controls the scroll position: keeps the anchor while rows change, and takes a new one when the reader scrolls.
 *
 * Every write happens before the browser paints: a ResizeObserver reports sizes between layout and paint, and virtua is
 * notified of the write at once instead of in the next frame.
 */
import { type Accessor, createSignal } from 'solid-js';
import type { VirtualizerHandle } from 'virtua/solid';
import { kindOf } from '../rows/rows';
import { arrived, FOLLOWING, type Follow, isAtEnd, READING, scrolled, turnDown, turnUp } from './follow_newest';
import { ANCHOR_END, anchorAtTop, type Geometry, type ScrollAnchor, topFor } from './scroll_anchor';

export interface ScrollerHost {
  keys(): readonly string[];
  /** The newest message is loaded; only then its end is followed. */
  isNewest(): boolean;
  /** The visible range may have changed. Heights may still be estimates. */
  onVisibleChange(): void;
}

export class Scroller {
  readonly follow: Accessor<Follow>;
  /** The newest message is not visible. */
  readonly isAway: Accessor<boolean>;
  readonly #setFollow: (follow: Follow) => void;
  readonly #setAway: (isAway: boolean) => void;
  readonly #world: ScrollerHost;
  #viewport: HTMLElement | undefined;
  #rows: VirtualizerHandle | undefined;
  #hold: ScrollAnchor = ANCHOR_END;
  #position: ScrollAnchor = ANCHOR_END;
  #lastTop = 0;

  constructor(world: ScrollerHost) {
    this.#world = world;
    const [follow, setFollow] = createSignal(FOLLOWING);
    const [isAway, setAway] = createSignal(false);
    this.follow = follow;
    this.isAway = isAway;
    this.#setFollow = setFollow;
    this.#setAway = setAway;
  }

  /** Starts with this scroll container and these rows; called again when the rows are rebuilt. */
  attach(viewport: HTMLElement, rows: VirtualizerHandle): void {
    this.#viewport = viewport;
    this.#rows = rows;
    this.settle();
  }

  /** Scrolls to an anchor and keeps it until the reader scrolls. */
  go(hold: ScrollAnchor): void {
    this.#hold = hold;
    this.#setFollow(hold.at === 'end' && this.#world.isNewest() ? FOLLOWING : READING);
    this.settle();
  }

  /** The anchor to save. */
  position(): ScrollAnchor {
    return this.#position;
  }

  /** Replaces the opening anchor by what is visible now; at the end, by the end. */
  release(): void {
    const geometry = this.geometry();
    if (!geometry || this.#hold.at === 'end' || isMessageHold(this.#hold)) return;
    if (this.#world.isNewest() && isAtEnd(geometry.top, geometry.end)) this.#setFollow(FOLLOWING);
    this.#hold = this.follow().follows ? ANCHOR_END : anchorAtTop(geometry);
    this.#look(geometry);
  }

  /** Restores the anchor after rows have changed. */
  settle(): void {
    const before = this.geometry();
    if (!before) return;
    const top = topFor(this.#hold, before);
    if (top !== undefined && Math.abs(top - before.top) >= 1) this.#write(top);
    const after = this.geometry();
    if (after) this.#look(after);
  }

  /** The reader scrolled by wheel, touch, key or scrollbar. */
  turn(direction: 'up' | 'down'): void {
    const geometry = this.geometry();
    if (!geometry) return;
    const { top: to, end } = geometry;
    if (direction === 'up') this.#become(turnUp(this.follow(), { end }), geometry);
    else if (this.#world.isNewest()) this.#become(turnDown(this.follow(), { to, end }), geometry);
  }

  /** The scroll position changed by any means. */
  onScroll(): void {
    const geometry = this.geometry();
    if (!geometry || Math.abs(geometry.top - this.#lastTop) < 1) return;
    const { top: to, end } = geometry;
    const next = scrolled(this.follow(), { from: this.#lastTop, to, end });
    this.#lastTop = to;
    this.#become(next.follows && !this.#world.isNewest() ? READING : next, geometry);
    // A correction for rows above leaves the anchor where it was; a new anchor would accumulate rounding errors.
    if (!this.follow().follows && Math.abs((topFor(this.#hold, geometry) ?? -1) - to) >= 1) {
      this.#hold = anchorAtTop(geometry);
    }
    this.#look(geometry);
  }

  onArrival(news: { others: number; hasOwn: boolean }): void {
    const next = arrived(this.follow(), news);
    if (next.follows) this.#hold = ANCHOR_END;
    this.#setFollow(next);
  }

  geometry(): Geometry | undefined {
    const viewport = this.#viewport;
    const rows = this.#rows;
    const size = rows?.viewportSize || viewport?.clientHeight;
    if (!viewport || !rows || !size) return undefined;
    return {
      keys: this.#world.keys(),
      top: viewport.scrollTop,
      viewport: size,
      end: Math.max(rows.scrollSize - size, 0),
      indexAt: (offset) => rows.findItemIndex(offset),
      offsetOf: (index) => rows.getItemOffset(index),
      sizeOf: (index) => rows.getItemSize(index),
    };
  }

  #become(next: Follow, geometry: Geometry): void {
    const before = this.follow();
    if (next === before) return;
    this.#setFollow(next);
    if (next.follows !== before.follows) this.#hold = next.follows ? ANCHOR_END : anchorAtTop(geometry);
  }

  #write(top: number): void {
    const viewport = this.#viewport;
    if (!viewport) return;
    viewport.scrollTop = top;
    this.#lastTop = viewport.scrollTop;
    // The browser would notify the rows in the next frame and paint a gap before.
    viewport.dispatchEvent(new Event('scroll'));
  }

  #look(geometry: Geometry): void {
    const { follows } = this.follow();
    if (follows) this.#position = ANCHOR_END;
    else this.#position = isMessageHold(this.#hold) ? this.#hold : anchorAtTop(geometry);
    this.#setAway(!follows && !(this.#world.isNewest() && isAtEnd(geometry.top, geometry.end)));
    this.#world.onVisibleChange();
  }
}

function isMessageHold(hold: ScrollAnchor): boolean {
  return hold.at === 'row' && kindOf(hold.key) === 'message';
}
