import { describe, expect, test } from 'vitest';
import { AIR_PX, ANCHOR_END, anchorAtTop, anchorInView, type Geometry, lastSeen, topFor } from './scroll_anchor';

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

describe('what is held', () => {
  test('is the first message that begins in sight', () => {
    expect(anchorAtTop(geometry(FEW, { top: 50 }))).toEqual({ at: 'row', key: 'b', distance: 30 });
  });

  test('is the message that fills the sight when none begins in it', () => {
    expect(anchorAtTop(geometry({ top: 20, a: 900, bottom: 10 }, { top: 300 }))).toEqual({
      at: 'row',
      key: 'a',
      distance: -280,
    });
  });

  test('is never a line', () => {
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

  test('the middle has as much above as below, and a tall row begins in sight', () => {
    expect(topFor({ at: 'middle', key: 'b' }, geometry(FEW))).toBe(60);
    expect(topFor({ at: 'middle', key: 'b' }, geometry({ ...FEW, b: 400 }))).toBe(80 - AIR_PX);
  });

  test('a position that does not exist is not asked for', () => {
    expect(topFor({ at: 'row', key: 'c', distance: 0 }, geometry(FEW))).toBe(130);
    expect(topFor({ at: 'row', key: 'a', distance: 90 }, geometry(FEW))).toBe(0);
    expect(topFor({ at: 'row', key: 'gone', distance: 0 }, geometry(FEW))).toBeUndefined();
  });
});

describe('bringing a row into sight', () => {
  test('moves as little as can be', () => {
    const sight = geometry({ a: 60, b: 60, c: 60, d: 60 }, { top: 50, viewport: 140 });
    expect(anchorInView(sight, 'a')).toEqual({ at: 'row', key: 'a', distance: AIR_PX });
    expect(anchorInView(sight, 'b')).toBeUndefined();
    expect(anchorInView(sight, 'd')).toEqual({ at: 'row', key: 'd', distance: 140 - 60 - AIR_PX });
  });
});

describe('what was seen', () => {
  test('ends with the last message that ends in sight', () => {
    expect(lastSeen(geometry(FEW, { top: 0 }))).toBe('a');
    expect(lastSeen(geometry(FEW, { top: 40 }))).toBe('b');
    expect(lastSeen(geometry(FEW, { top: 130 }))).toBe('c');
  });

  test('is nothing while the first message is too tall', () => {
    expect(lastSeen(geometry({ top: 20, a: 900 }))).toBeUndefined();
  });
});
