import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { End } from '../state/contract';
import { aMessage, fixedMessageList } from '../state/testing/fixtures';
import type { Geometry } from './scroll/scroll_anchor';
import { createVisibleRows, LOAD_WITHIN_PX } from './visible_rows';

const markRead = vi.fn();
let ends: { older: End; newer: End };
const loadOlder = vi.fn(async () => {});
const loadNewer = vi.fn(async () => {});
const messageList = fixedMessageList([aMessage({ id: 'a', seq: 7 }), aMessage({ id: 'b', seq: 8 })], {
  older: () => ends.older,
  newer: () => ends.newer,
  loadOlder,
  loadNewer,
});

beforeEach(() => {
  vi.clearAllMocks();
  ends = { older: 'reached', newer: 'reached' };
});

/** Two messages of 60 pixels in a viewport of 100. */
function geometryAt(top: number, end = 40): Geometry {
  const keys = ['a', 'b'];
  return {
    ...{ keys, top, end, viewport: 100 },
    indexAt: (offset) => Math.min(Math.floor(offset / 60), 1),
    offsetOf: (index) => index * 60,
    sizeOf: () => 60,
  };
}

describe('the last seen message', () => {
  test('is the last one that ends in the viewport, and is marked as read', () => {
    const visibleRows = createVisibleRows(messageList, () => true, markRead);
    visibleRows.see(geometryAt(0));
    expect(markRead).toHaveBeenLastCalledWith(7);
    visibleRows.see(geometryAt(20));
    expect(markRead).toHaveBeenLastCalledWith(8);
  });

  test('is marked once, and never moved back', () => {
    const visibleRows = createVisibleRows(messageList, () => true, markRead);
    visibleRows.see(geometryAt(20));
    visibleRows.see(geometryAt(20));
    visibleRows.see(geometryAt(0));
    expect(markRead).toHaveBeenCalledOnce();
    expect(visibleRows.seenSeq()).toBe(8);
  });

  test('is undefined while nobody watches the page', () => {
    createVisibleRows(messageList, () => false, markRead).see(geometryAt(20));
    expect(markRead).not.toHaveBeenCalled();
  });
});

describe('more is loaded', () => {
  test('near the top and near the bottom', async () => {
    const visibleRows = createVisibleRows(messageList, () => true, markRead);
    ends = { older: 'more', newer: 'more' };
    visibleRows.see(geometryAt(LOAD_WITHIN_PX - 1, 9_000));
    expect(loadOlder).toHaveBeenCalledOnce();
    await vi.waitFor(() => {
      visibleRows.see(geometryAt(9_000 - LOAD_WITHIN_PX + 1, 9_000));
      expect(loadNewer).toHaveBeenCalledOnce();
    });
  });

  test('one page at a time', () => {
    const visibleRows = createVisibleRows(messageList, () => true, markRead);
    ends = { older: 'more', newer: 'reached' };
    loadOlder.mockReturnValueOnce(new Promise(() => {}));
    visibleRows.see(geometryAt(0, 9_000));
    visibleRows.see(geometryAt(0, 9_000));
    expect(loadOlder).toHaveBeenCalledOnce();
  });

  test('not again by itself after a failure', () => {
    const visibleRows = createVisibleRows(messageList, () => true, markRead);
    ends = { older: 'failed', newer: 'reached' };
    visibleRows.see(geometryAt(0, 9_000));
    expect(loadOlder).not.toHaveBeenCalled();
  });
});
