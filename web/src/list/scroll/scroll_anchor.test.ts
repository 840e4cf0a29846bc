import { describe, expect, test } from 'vitest';
import { ANCHOR_END, anchorAtTop, anchorInView, type Geometry, lastSeen, ROW_MARGIN_PX, topFor } from './scroll_anchor';

/** Rows one below the other. */
function geometry(sizes: Record<string, number>, { top = 0, viewport = 100 } = {}): Geometry {
  const keys = Object.keys(sizes);
  const heights = Object.values(sizes);
  const offsetOf = (index: number) => heights.slice(0, index).reduce((sum, size) => sum + size, 0);
  const end = Math.max(offsetOf(keys.length) - viewport, 0);
  const indexAt = (offset: number) =>
    Math.max(
      keys.findLastIndex((_, index) => offsetOf(index) <= offset),
      0,
    );
  return { keys, top, viewport, end, indexAt, offsetOf, sizeOf: (index) => heights[index] ?? 0 };
}

const FEW = { top: 20, a: 60, b: 60, unread: 20, c: 60, bottom: 10 };

describe('the anchor', () => {
  test('is the first message that starts in the viewport', () => {
    expect(anchorAtTop(geometry(FEW, { top: 50 }))).toEqual({ at: 'row', key: 'b', distance: 30 });
  });

  test('is the message that fills the viewport when none starts in it', () => {
    expect(anchorAtTop(geometry({ top: 20, a: 900, bottom: 10 }, { top: 300 }))).toEqual({
      at: 'row',
      key: 'a',
      distance: -280,
    });
  });

  test('is never a separator row', () => {
    const between = geometry({ a: 60, unread: 200, c: 60 }, { top: 100, viewport: 50 });
    expect(anchorAtTop(between)).toEqual({ at: 'row', key: 'c', distance: 160 });
  });

  test('is the end where there is no message', () => {
    expect(anchorAtTop(geometry({ top: 300, bottom: 10 }))).toEqual(ANCHOR_END);
  });
});

describe('where to scroll', () => {
  test('a held row stays when rows above change their size', () => {
    const held = anchorAtTop(geometry(FEW, { top: 50 }));
    expect(topFor(held, geometry({ ...FEW, a: 260 }, { top: 50 }))).toBe(250);
  });

  test('a held row stays when older rows come before it', () => {
    const held = anchorAtTop(geometry(FEW, { top: 50 }));
    expect(topFor(held, geometry({ older: 500, ...FEW }, { top: 50 }))).toBe(550);
  });

  test('the end is followed as it moves', () => {
    expect(topFor(ANCHOR_END, geometry(FEW))).toBe(130);
    expect(topFor(ANCHOR_END, geometry({ ...FEW, c: 100 }))).toBe(170);
  });

  test('a centred row has equal space above and below, and a tall row starts in the viewport', () => {
    expect(topFor({ at: 'middle', key: 'b' }, geometry(FEW))).toBe(60);
    expect(topFor({ at: 'middle', key: 'b' }, geometry({ ...FEW, b: 400 }))).toBe(80 - ROW_MARGIN_PX);
  });

  test('positions beyond the ends are clamped', () => {
    expect(topFor({ at: 'row', key: 'c', distance: 0 }, geometry(FEW))).toBe(130);
    expect(topFor({ at: 'row', key: 'a', distance: 90 }, geometry(FEW))).toBe(0);
    expect(topFor({ at: 'row', key: 'gone', distance: 0 }, geometry(FEW))).toBeUndefined();
  });
});

describe('scrolling a row into view', () => {
  test('scrolls as little as possible', () => {
    const view = geometry({ a: 60, b: 60, c: 60, d: 60 }, { top: 50, viewport: 140 });
    expect(anchorInView(view, 'a')).toEqual({ at: 'row', key: 'a', distance: ROW_MARGIN_PX });
    expect(anchorInView(view, 'b')).toBeUndefined();
    expect(anchorInView(view, 'd')).toEqual({ at: 'row', key: 'd', distance: 140 - 60 - ROW_MARGIN_PX });
  });
});

describe('the last seen message', () => {
  test('is the last one that ends in the viewport', () => {
    expect(lastSeen(geometry(FEW, { top: 0 }))).toBe('a');
    expect(lastSeen(geometry(FEW, { top: 40 }))).toBe('b');
    expect(lastSeen(geometry(FEW, { top: 130 }))).toBe('c');
  });

  test('is undefined while the first message is too tall', () => {
    expect(lastSeen(geometry({ top: 20, a: 900 }))).toBeUndefined();
  });
});
