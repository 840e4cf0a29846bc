import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unreachable } from '../api/refusal';
import type { PageOf } from '../state/contract';
import { createPagedList } from './paged_list';

interface Item {
  readonly id: string;
  readonly word?: string;
}

const ask = vi.fn<(cursor: string | undefined) => Promise<PageOf<Item>>>();
const [of, setOf] = createSignal<string | undefined>('one');
const [changed, setChanged] = createSignal(0);
let end = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  ask.mockReset().mockResolvedValue({ items: [] });
  setOf('one');
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

async function begin() {
  const list = createRoot((dispose) => {
    end = dispose;
    return createPagedList<Item>({ of, ask, keyOf: ({ id }) => id, changed });
  });
  await vi.advanceTimersByTimeAsync(0);
  return { ...list, ids: () => list.pages().items.map(({ id }) => id) };
}

test('pages are loaded one after the other, without duplicates', async () => {
  ask.mockResolvedValueOnce({ items: [{ id: 'a' }, { id: 'b' }], next: 'c1' });
  ask.mockResolvedValueOnce({ items: [{ id: 'b' }, { id: 'c' }] });
  const { ids, more, pages } = await begin();
  expect(pages()).toMatchObject({ state: 'done', hasMore: true });
  more();
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual(['a', 'b', 'c']);
  expect(ask).toHaveBeenLastCalledWith('c1');
  expect(pages().hasMore).toBe(false);
});

test('a change reloads the loaded pages, once for many changes', async () => {
  ask.mockResolvedValueOnce({ items: [{ id: 'a' }], next: 'c1' }).mockResolvedValueOnce({ items: [{ id: 'b' }] });
  const { ids, more, pages } = await begin();
  more();
  await vi.advanceTimersByTimeAsync(0);
  const [, kept] = pages().items;
  ask.mockResolvedValueOnce({ items: [{ id: 'n' }], next: 'c1' }).mockResolvedValueOnce({ items: [{ id: 'b' }] });
  setChanged(1);
  setChanged(2);
  await vi.advanceTimersByTimeAsync(300);
  expect(ids()).toEqual(['n', 'b']);
  expect(ask).toHaveBeenCalledTimes(4);
  expect(pages().items[1]).toBe(kept);
});

test('a list that changes all the time is shown all the same', async () => {
  const { ids } = await begin();
  ask.mockImplementation(() => new Promise((resolve) => setTimeout(() => resolve({ items: [{ id: 'slow' }] }), 600)));
  for (let change = 1; change < 20; change += 1) {
    setChanged(change);
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(ids()).toEqual(['slow']);
});

test('an answer for another list is not shown', async () => {
  let answer: (page: PageOf<Item>) => void = () => {};
  ask.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const { ids } = await begin();
  ask.mockResolvedValueOnce({ items: [{ id: 'two' }] });
  setOf('two');
  await vi.advanceTimersByTimeAsync(0);
  answer({ items: [{ id: 'one' }] });
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual(['two']);
});

test('loaded pages stay when the hub is unreachable, and the page can be retried', async () => {
  ask.mockResolvedValueOnce({ items: [{ id: 'a' }], next: 'c1' });
  const { ids, more, pages } = await begin();
  ask.mockRejectedValueOnce(unreachable());
  more();
  await vi.advanceTimersByTimeAsync(0);
  expect(pages()).toMatchObject({ state: 'failed', hasMore: true });
  expect(ids()).toEqual(['a']);
  ask.mockResolvedValueOnce({ items: [{ id: 'b' }] });
  more();
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual(['a', 'b']);
});

test('a list without a subject requests nothing', async () => {
  setOf(undefined);
  await begin();
  expect(ask).not.toHaveBeenCalled();
});
