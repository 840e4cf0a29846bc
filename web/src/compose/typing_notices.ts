/** Sends typing notices, at most one every few seconds. */
import type { ConversationId } from '../api/model';
import type { Store } from '../state/contract';
import { TYPING_INTERVAL_MS } from '../state/contract';

/** Returns a function to call at every change of the text. */
export function createTypingNotices(store: Store): (id: ConversationId, text: string) => void {
  let last = { id: '', at: Number.NEGATIVE_INFINITY };
  return (id, text) => {
    const now = Date.now();
    const isRecent = last.id === id && now - last.at < TYPING_INTERVAL_MS;
    // Typing a command is not announced.
    if (isRecent || text.trim() === '' || text.startsWith('/')) return;
    last = { id, at: now };
    store.commands.noteTyping(id);
  };
}
