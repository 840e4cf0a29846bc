/** A paged list of the hub: loads more, and loads again after changes. */
import { type Accessor, createEffect, createSignal, on, onCleanup, untrack } from 'solid-js';
import { type Refusal, toRefusal } from '../api/refusal';
import type { PageOf } from '../state/contract';

export interface PagedList<Item> {
  /** `asking` until the first page is loaded, and while a further one loads. */
  readonly state: 'asking' | 'done' | 'failed';
  readonly items: readonly Item[];
  readonly hasMore: boolean;
  readonly refusal?: Refusal;
}

/** Pages that are loaded again at once. */
const RELOADED_PAGES_MAX = 5;
/** Debounce time for changes. */
const RELOAD_DEBOUNCE_MS = 250;

export interface PagedListOptions<Item> {
  /** The key of the list; another key starts again, undefined loads nothing. */
  of: Accessor<string | undefined>;
  ask(cursor: string | undefined): Promise<PageOf<Item>>;
  keyOf(item: Item): string;
  /** Changes when the list may have changed; it is then loaded again without flicker. */
  changed?: Accessor<unknown>;
}

export function createPagedList<Item>(options: PagedListOptions<Item>): {
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
  /** Loads this many pages from a cursor on; `before` precedes them. */
  const ask = async (before: readonly Item[], from: string | undefined, count: number) => {
    turn += 1;
    const mine = turn;
    isAsking = true;
    try {
      let items = before;
      let cursor = from;
      let asked = 0;
      do {
        const page = await options.ask(cursor);
        if (mine !== turn) return;
        items = joined(items, page.items, options.keyOf);
        cursor = page.next;
        asked += 1;
      } while (cursor && asked < count);
      read = (before.length > 0 ? read : 0) + asked;
      next = cursor;
      setPages((old) => ({
        state: 'done',
        items: sameAs(old.items, items, options.keyOf),
        hasMore: cursor !== undefined,
      }));
    } catch (thrown) {
      if (mine !== turn) return;
      // Loaded items stay visible.
      setPages((old) => ({ ...old, state: 'failed', refusal: toRefusal(thrown) }));
    } finally {
      if (mine === turn) isAsking = false;
    }
  };
  const again = () => void ask([], undefined, Math.min(Math.max(read, 1), RELOADED_PAGES_MAX));
  /** With constant changes the list is still loaded now and then. */
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (isAsking) soon();
      else again();
    }, RELOAD_DEBOUNCE_MS);
  };
  createEffect(
    on(options.of, (of) => {
      turn += 1;
      read = 0;
      isAsking = false;
      setPages({ state: 'asking', items: [], hasMore: false });
      if (of !== undefined) again();
    }),
  );
  if (options.changed)
    createEffect(on(options.changed, () => untrack(options.of) !== undefined && soon(), { defer: true }));
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

/** A page may repeat the last items of the one before, when something was added meanwhile. */
function joined<Item>(before: readonly Item[], more: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const known = new Set(before.map(keyOf));
  return [...before, ...more.filter((item) => !known.has(keyOf(item)))];
}

/** Unchanged items stay the same objects, so that their rows stay. */
function sameAs<Item>(old: readonly Item[], now: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const known = new Map(old.map((item) => [keyOf(item), item]));
  return now.map((item) => {
    const same = known.get(keyOf(item));
    return same && JSON.stringify(same) === JSON.stringify(item) ? same : item;
  });
}
