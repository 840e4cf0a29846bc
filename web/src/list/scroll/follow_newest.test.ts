import { describe, expect, test } from 'vitest';
import { arrived, FOLLOWING, type Follow, READING, scrolled, turnDown, turnUp } from './follow_newest';

const END = 1_000;

describe('following ends', () => {
  test('when the reader scrolls up, however little', () => {
    expect(turnUp(FOLLOWING, { end: END })).toEqual(READING);
  });

  test('not where there is nothing to scroll', () => {
    expect(turnUp(FOLLOWING, { end: 0 })).toBe(FOLLOWING);
  });

  test('when something else scrolled away from the end', () => {
    expect(scrolled(FOLLOWING, { from: END, to: END - 25, end: END }).follows).toBe(false);
  });

  test('not within 24 pixels of the end', () => {
    expect(scrolled(FOLLOWING, { from: END, to: END - 24, end: END }).follows).toBe(true);
  });

  test('not when the content grew or shrank under it', () => {
    expect(scrolled(FOLLOWING, { from: END, to: END, end: END + 300 }).follows).toBe(true);
    expect(scrolled(FOLLOWING, { from: END, to: END - 300, end: END - 300 }).follows).toBe(true);
  });
});

describe('following begins again', () => {
  test('when the reader comes down to the end', () => {
    expect(scrolled(READING, { from: END - 200, to: END - 10, end: END })).toEqual(FOLLOWING);
  });

  test('when the reader scrolls down at the end', () => {
    expect(turnDown(READING, { to: END - 3, end: END })).toEqual(FOLLOWING);
    expect(turnDown(READING, { to: END - 300, end: END })).toBe(READING);
  });

  test('not by a small move up that is still near the end', () => {
    expect(scrolled(READING, { from: END, to: END - 8, end: END })).toBe(READING);
  });

  test('not by a write of the list itself that moves nothing', () => {
    expect(scrolled(READING, { from: END, to: END, end: END })).toBe(READING);
  });
});

describe('new messages', () => {
  test('are counted while the reader is elsewhere', () => {
    const away = [1, 2].reduce<Follow>((follow, others) => arrived(follow, { others, hasOwn: false }), READING);
    expect(away).toEqual({ follows: false, newCount: 3 });
  });

  test('are not counted while following', () => {
    expect(arrived(FOLLOWING, { others: 2, hasOwn: false })).toBe(FOLLOWING);
  });

  test('of the reader scroll to the end', () => {
    expect(arrived({ follows: false, newCount: 4 }, { others: 1, hasOwn: true })).toEqual(FOLLOWING);
  });

  test('the count is reset when following starts', () => {
    expect(scrolled({ follows: false, newCount: 4 }, { from: 0, to: END, end: END }).newCount).toBe(0);
  });
});
