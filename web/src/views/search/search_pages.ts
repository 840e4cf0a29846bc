/** Search results, page by page. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import type { Hit } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import type { Commands } from '../../state/contract';

export type SearchState =
  | { state: 'idle' }
  | { state: 'asking'; hits: readonly Hit[] }
  | { state: 'done'; hits: readonly Hit[]; next?: string }
  | { state: 'failed'; hits: readonly Hit[]; refusal: Refusal; next?: string };

/** A page may be empty without being the last; so many are requested at once. */
const EMPTY_PAGES_MAX = 5;
/** More results are better narrowed by another word. */
const HITS_MAX = 500;

/** Follows a query; `more` loads the next page, or retries. */
export function searchPages(
  query: Accessor<string>,
  search: Commands['search'],
): { found: Accessor<SearchState>; more(): void } {
  const [found, setFound] = createSignal<SearchState>({ state: 'idle' });
  let turn = 0;
  const ask = async (words: string, before: readonly Hit[], cursor: string | undefined) => {
    turn += 1;
    const mine = turn;
    setFound({ state: 'asking', hits: before });
    try {
      const page = await askUntilFound(search, words, cursor);
      const hits = [...before, ...page.hits].slice(0, HITS_MAX);
      const next = hits.length < HITS_MAX ? page.next : undefined;
      if (mine === turn) setFound({ state: 'done', hits, next });
    } catch (thrown) {
      if (mine === turn) setFound({ state: 'failed', hits: before, refusal: toRefusal(thrown), next: cursor });
    }
  };
  createEffect(
    on(query, (words) => {
      turn += 1;
      if (words.trim() === '') setFound({ state: 'idle' });
      else void ask(words, [], undefined);
    }),
  );
  onCleanup(() => {
    turn += 1;
  });
  return {
    found,
    more: () => {
      const now = found();
      if (now.state === 'done' || now.state === 'failed') void ask(query(), now.hits, now.next);
    },
  };
}

async function askUntilFound(search: Commands['search'], words: string, cursor: string | undefined) {
  let page = await search(words, cursor);
  for (let turn = 1; turn < EMPTY_PAGES_MAX && page.hits.length === 0 && page.next; turn += 1) {
    page = await search(words, page.next);
  }
  return page;
}
