/**
 * Moves the list. It keeps its hold while rows come, go and change their size, and takes a new one when the reader moves.
 *
 * Every write happens before the browser paints: sizes are told by an observer between layout and paint, and the list of
 * rows hears of the write at once instead of with the next frame.
 */
import { type Accessor, createSignal } from 'solid-js';
import type { VirtualizerHandle } from 'virtua/solid';
import { kindOf } from '../rows/rows';
import { arrived, FOLLOWING, type Follow, isAtEnd, READING, scrolled, turnDown, turnUp } from './follow_newest';
import { ANCHOR_END, anchorAtTop, type Geometry, type ScrollAnchor, topFor } from './scroll_anchor';

export interface ScrollerHost {
  keys(): readonly string[];
  /** The newest message is loaded: only then its end is worth following. */
  isNewest(): boolean;
  /** What is seen may have changed. Heights may still be guessed. */
  onSight(): void;
}

export class Scroller {
  readonly follow: Accessor<Follow>;
  /** The newest message is out of sight, and the reader may want to go there. */
  readonly isAway: Accessor<boolean>;
  readonly #setFollow: (follow: Follow) => void;
  readonly #setAway: (isAway: boolean) => void;
  readonly #world: ScrollerHost;
  #viewport: HTMLElement | undefined;
  #rows: VirtualizerHandle | undefined;
  #hold: ScrollAnchor = ANCHOR_END;
  #place: ScrollAnchor = ANCHOR_END;
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

  /** Begins with this scrolled element and these rows; called again when the rows are made anew. */
  attach(viewport: HTMLElement, rows: VirtualizerHandle): void {
    this.#viewport = viewport;
    this.#rows = rows;
    this.settle();
  }

  /** Goes where the hold says, and stays there until the reader moves. */
  go(hold: ScrollAnchor): void {
    this.#hold = hold;
    this.#setFollow(hold.at === 'end' && this.#world.isNewest() ? FOLLOWING : READING);
    this.settle();
  }

  /** What to come back to. */
  place(): ScrollAnchor {
    return this.#place;
  }

  /** What was held only to open the list becomes what the reader sees; at the end, that is the end. */
  release(): void {
    const geometry = this.geometry();
    if (!geometry || this.#hold.at === 'end' || isMessageHold(this.#hold)) return;
    if (this.#world.isNewest() && isAtEnd(geometry.top, geometry.end)) this.#setFollow(FOLLOWING);
    this.#hold = this.follow().follows ? ANCHOR_END : anchorAtTop(geometry);
    this.#look(geometry);
  }

  /** Makes the hold true again after rows have changed. */
  settle(): void {
    const before = this.geometry();
    if (!before) return;
    const top = topFor(this.#hold, before);
    if (top !== undefined && Math.abs(top - before.top) >= 1) this.#write(top);
    const after = this.geometry();
    if (after) this.#look(after);
  }

  /** The reader turned up or down, by wheel, touch, key or scrollbar. */
  turn(direction: 'up' | 'down'): void {
    const geometry = this.geometry();
    if (!geometry) return;
    const { top: to, end } = geometry;
    if (direction === 'up') this.#become(turnUp(this.follow(), { end }), geometry);
    else if (this.#world.isNewest()) this.#become(turnDown(this.follow(), { to, end }), geometry);
  }

  /** The element says that it was scrolled, by whomever. */
  onScroll(): void {
    const geometry = this.geometry();
    if (!geometry || Math.abs(geometry.top - this.#lastTop) < 1) return;
    const { top: to, end } = geometry;
    const next = scrolled(this.follow(), { from: this.#lastTop, to, end });
    this.#lastTop = to;
    this.#become(next.follows && !this.#world.isNewest() ? READING : next, geometry);
    // A correction for rows above leaves the held row where it was. Taking a new hold then would add up roundings.
    if (!this.follow().follows && Math.abs((topFor(this.#hold, geometry) ?? -1) - to) >= 1) {
      this.#hold = anchorAtTop(geometry);
    }
    this.#look(geometry);
  }

  /** Messages came at the end. */
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
    // The browser would tell the rows in the next frame only, and paint a hole before.
    viewport.dispatchEvent(new Event('scroll'));
  }

  #look(geometry: Geometry): void {
    const { follows } = this.follow();
    if (follows) this.#place = ANCHOR_END;
    else this.#place = isMessageHold(this.#hold) ? this.#hold : anchorAtTop(geometry);
    this.#setAway(!follows && !(this.#world.isNewest() && isAtEnd(geometry.top, geometry.end)));
    this.#world.onSight();
  }
}

function isMessageHold(hold: ScrollAnchor): boolean {
  return hold.at === 'row' && kindOf(hold.key) === 'message';
}
