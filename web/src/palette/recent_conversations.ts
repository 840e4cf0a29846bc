/** Recent conversations, newest first; kept in the browser. */
import { browserStorage, type Storage } from '../state/storage';

const KEPT_AS = 'parlour.recent';
const RECENT_MAX = 20;

export function recentConversations(storage: Storage = browserStorage()): readonly string[] {
  const kept = storage.get(KEPT_AS);
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string').slice(0, RECENT_MAX) : [];
}

export function rememberConversation(id: string, storage: Storage = browserStorage()): void {
  const others = recentConversations(storage).filter((one) => one !== id);
  storage.set(KEPT_AS, [id, ...others].slice(0, RECENT_MAX));
}
