/** Recent conversations, newest first; stored in the browser. */
import { browserStorage, type Storage } from '../state/storage';

const STORAGE_KEY = 'parlour.recent';
const RECENT_MAX = 20;

export function recentConversations(storage: Storage = browserStorage()): readonly string[] {
  const stored = storage.get(STORAGE_KEY);
  return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string').slice(0, RECENT_MAX) : [];
}

export function rememberConversation(id: string, storage: Storage = browserStorage()): void {
  const others = recentConversations(storage).filter((one) => one !== id);
  storage.set(STORAGE_KEY, [id, ...others].slice(0, RECENT_MAX));
}
