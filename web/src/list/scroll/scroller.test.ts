import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ANCHOR_END } from './scroll_anchor';
import { Scroller } from './scroller';

/** Rows of fixed heights in a viewport of 100 pixels, in place of virtua. */
class FakeRows {
  readonly viewport = document.createElement('div');
  readonly viewportSize = 100;
  keys: string[] = [];
  #heights: number[] = [];

  constructor(rows: Record<string, number>) {
    this.change(rows);
    Object.defineProperty(this.viewport, 'clientHeight', { value: this.viewportSize });
  }

  change(rows: Record<string, number>): void {
    this.keys = Object.keys(rows);
    this.#heights = Object.values(rows);
  }

  getItemOffset = (index: number) => this.#heights.slice(0, index).reduce((sum, size) => sum + size, 0);
  getItemSize = (index: number) => this.#heights[index] ?? 0;
  findItemIndex = (offset: number) => this.keys.findLastIndex((_, index) => this.getItemOffset(index) <= offset);

  get scrollSize(): number {
    return Math.max(this.getItemOffset(this.keys.length), this.viewportSize);
  }
}

const FEW = { top: 20, a: 60, b: 60, c: 60, bottom: 10 };
let rows: FakeRows;
let isNewest: boolean;
let scroller: Scroller;
const onVisibleChange = vi.fn();

beforeEach(() => {
  rows = new FakeRows(FEW);
  isNewest = true;
  onVisibleChange.mockClear();
  scroller = new Scroller({ keys: () => rows.keys, isNewest: () => isNewest, onVisibleChange });
  scroller.attach(rows.viewport, rows as never);
  rows.viewport.addEventListener('scroll', () => scroller.onScroll());
});

function readerScrolls(to: number): void {
  rows.viewport.scrollTop = to;
  rows.viewport.dispatchEvent(new Event('scroll'));
}

describe('at the end', () => {
  test('the list opens there, and follows what grows', () => {
    expect(rows.viewport.scrollTop).toBe(110);
    rows.change({ ...FEW, c: 160 });
    scroller.settle();
    expect(rows.viewport.scrollTop).toBe(210);
    expect(scroller.isAway()).toBe(false);
  });

  test('rows are notified of a write at once, not with the next frame', () => {
    const calls = vi.fn();
    rows.viewport.addEventListener('scroll', calls);
    rows.change({ ...FEW, c: 160 });
    scroller.settle();
    expect(calls).toHaveBeenCalledOnce();
  });

  test('scroll input upwards ends following before anything has moved', () => {
    scroller.turn('up');
    rows.change({ ...FEW, c: 160 });
    scroller.settle();
    expect(scroller.follow().follows).toBe(false);
    expect(rows.viewport.scrollTop).toBe(110);
  });

  test('an own message scrolls to it', () => {
    readerScrolls(0);
    rows.change({ ...FEW, mine: 50 });
    scroller.onArrival({ others: 1, hasOwn: true });
    scroller.settle();
    expect(rows.viewport.scrollTop).toBe(scrollEnd());
  });

  test('nothing is followed while newer messages are not loaded', () => {
    isNewest = false;
    scroller.go(ANCHOR_END);
    expect(scroller.follow().follows).toBe(false);
    expect(scroller.isAway()).toBe(true);
  });
});

describe('while reading above', () => {
  test('growth below moves nothing and is not followed', () => {
    readerScrolls(30);
    rows.change({ ...FEW, c: 400 });
    scroller.settle();
    expect(rows.viewport.scrollTop).toBe(30);
    expect(scroller.isAway()).toBe(true);
  });

  test('height changes above are compensated', () => {
    readerScrolls(30);
    rows.change({ ...FEW, a: 260 });
    scroller.settle();
    expect(rows.viewport.scrollTop).toBe(230);
  });

  test('rows added above are compensated, however often', () => {
    readerScrolls(30);
    rows.change({ x: 33.3, ...FEW });
    scroller.settle();
    rows.change({ y: 33.3, x: 33.3, ...FEW });
    scroller.settle();
    expect(rows.viewport.scrollTop).toBeCloseTo(96.6, 0);
  });

  test('scrolling to the end follows again, and resets the count', () => {
    readerScrolls(0);
    scroller.onArrival({ others: 2, hasOwn: false });
    expect(scroller.follow().newCount).toBe(2);
    readerScrolls(scrollEnd());
    expect(scroller.follow()).toEqual({ follows: true, newCount: 0 });
  });
});

describe('the saved position', () => {
  test('is the end while following, and the message that is read otherwise', () => {
    expect(scroller.position()).toEqual(ANCHOR_END);
    readerScrolls(30);
    expect(scroller.position()).toEqual({ at: 'row', key: 'b', distance: 50 });
  });

  test('is restored exactly', () => {
    scroller.go({ at: 'row', key: 'b', distance: 50.4 });
    expect(scroller.position()).toEqual({ at: 'row', key: 'b', distance: 50.4 });
  });
});

describe('opening', () => {
  test('an unread line near the end becomes following', () => {
    rows.change({ top: 20, a: 60, unread: 20, c: 60, bottom: 10 });
    scroller.go({ at: 'row', key: 'unread', distance: 10 });
    scroller.release();
    expect(scroller.follow().follows).toBe(true);
  });

  test('an unread line further up stays where it was opened', () => {
    rows.change({ top: 20, a: 60, unread: 20, c: 600, bottom: 10 });
    scroller.go({ at: 'row', key: 'unread', distance: 10 });
    scroller.release();
    expect(scroller.follow().follows).toBe(false);
    expect(rows.viewport.scrollTop).toBe(70);
  });
});

test('every scroll reports the visible rows', () => {
  onVisibleChange.mockClear();
  readerScrolls(30);
  expect(onVisibleChange).toHaveBeenCalled();
});

function scrollEnd(): number {
  return rows.scrollSize - rows.viewportSize;
}
