/** Recent searches, newest first; stored in the browser. */
import { browserStorage, type Storage } from '../../state/storage';

const STORAGE_KEY = 'parlour.searches';
const SEARCHES_MAX = 8;

export function recentSearches(storage: Storage = browserStorage()): readonly string[] {
  const stored = storage.get(STORAGE_KEY);
  return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string').slice(0, SEARCHES_MAX) : [];
}

/** Stores a search whose result was opened. */
export function rememberSearch(query: string, storage: Storage = browserStorage()): void {
  const words = query.trim();
  if (words === '') return;
  const others = recentSearches(storage).filter((one) => one !== words);
  storage.set(STORAGE_KEY, [words, ...others].slice(0, SEARCHES_MAX));
}

export function forgetSearches(storage: Storage = browserStorage()): void {
  storage.remove(STORAGE_KEY);
}
