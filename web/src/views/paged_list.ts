/** A list of the hub, page by page: read on, and read again when something has changed. */
import { type Accessor, createEffect, createSignal, on, onCleanup, untrack } from 'solid-js';
import { type Refusal, toRefusal } from '../api/refusal';
import type { PageOf } from '../state/contract';

export interface PagedList<Item> {
  /** `asking` until the first page is there, and while a further one comes. */
  readonly state: 'asking' | 'done' | 'failed';
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly refusal?: Refusal;
}

/** So many pages are read again at one go; whoever has read further sees the rest again by reading on. */
const AGAIN_MAX = 5;
/** Changes often come in swarms. */
const AGAIN_AFTER_MS = 250;

export interface PagedListOptions<Item> {
  /** What the list is of; another one begins anew, undefined asks for nothing. */
  of: Accessor<string | undefined>;
  ask(cursor: string | undefined): Promise<PageOf<Item>>;
  keyOf(item: Item): string;
  /** Changes when the list may have; it is then read again, and nothing flickers meanwhile. */
  changed?: Accessor<unknown>;
}

export function createPagedList<Item>(wish: PagedListOptions<Item>): {
  pages: Accessor<PagedList<Item>>;
  more(): void;
  again(): void;
} {
  const [pages, setPages] = createSignal<PagedList<Item>>({ state: 'asking', items: [], hasMore: false });
  let turn = 0;
  let read = 0;
  let next: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isAsking = false;
  /** Reads this many pages from a cursor on; `before` stands in front of them. */
  const ask = async (before: readonly Item[], from: string | undefined, count: number) => {
    turn += 1;
    const mine = turn;
    isAsking = true;
    try {
      let items = before;
      let cursor = from;
      let asked = 0;
      do {
        const page = await wish.ask(cursor);
        if (mine !== turn) return;
        items = joined(items, page.items, wish.keyOf);
        cursor = page.next;
        asked += 1;
      } while (cursor && asked < count);
      read = (before.length > 0 ? read : 0) + asked;
      next = cursor;
      setPages((old) => ({
        state: 'done',
        items: sameAs(old.items, items, wish.keyOf),
        hasMore: cursor !== undefined,
      }));
    } catch (thrown) {
      if (mine !== turn) return;
      // What was read once stays in sight.
      setPages((old) => ({ ...old, state: 'failed', refusal: toRefusal(thrown) }));
    } finally {
      if (mine === turn) isAsking = false;
    }
  };
  const again = () => void ask([], undefined, Math.min(Math.max(read, 1), AGAIN_MAX));
  /** Where something changes all the time, it is still read now and then, and every answer is shown. */
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (isAsking) soon();
      else again();
    }, AGAIN_AFTER_MS);
  };
  createEffect(
    on(wish.of, (of) => {
      turn += 1;
      read = 0;
      isAsking = false;
      setPages({ state: 'asking', items: [], hasMore: false });
      if (of !== undefined) again();
    }),
  );
  if (wish.changed) createEffect(on(wish.changed, () => untrack(wish.of) !== undefined && soon(), { defer: true }));
  onCleanup(() => {
    turn += 1;
    clearTimeout(timer);
  });
  return {
    pages,
    again,
    more: () => {
      const { items, state } = untrack(pages);
      if (state === 'failed' && items.length === 0) return again();
      setPages((old) => ({ ...old, state: 'asking' }));
      void ask(items, next, 1);
    },
  };
}

/** A page may begin with what the one before ended with, when something was added meanwhile. */
function joined<Item>(before: readonly Item[], more: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const known = new Set(before.map(keyOf));
  return [...before, ...more.filter((item) => !known.has(keyOf(item)))];
}

/** What is as it was stays the same object, so that its row stays too. */
function sameAs<Item>(old: readonly Item[], now: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return now.map((item) => {
    const same = known.get(keyOf(item));
    return same && JSON.stringify(same) === JSON.stringify(item) ? same : item;
  });
}
