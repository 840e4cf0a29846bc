/** Recent searches, newest first; kept in the browser. */
import { browserStorage, type Storage } from '../../state/storage';

const KEPT_AS = 'parlour.searches';
const SEARCHES_MAX = 8;

export function recentSearches(storage: Storage = browserStorage()): readonly string[] {
  const kept = storage.get(KEPT_AS);
  return Array.isArray(kept) ? kept.filter((one) => typeof one === 'string').slice(0, SEARCHES_MAX) : [];
}

/** Stores a search whose result was opened. */
export function rememberSearch(query: string, storage: Storage = browserStorage()): void {
  const words = query.trim();
  if (words === '') return;
  const others = recentSearches(storage).filter((one) => one !== words);
  storage.set(KEPT_AS, [words, ...others].slice(0, SEARCHES_MAX));
}

export function forgetSearches(storage: Storage = browserStorage()): void {
  storage.remove(KEPT_AS);
}
