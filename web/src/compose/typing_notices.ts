/** Sends typing notices, at most one every few seconds. */
import type { ConversationId } from '../api/model';
import type { Store } from '../state/contract';
import { TYPING_MS } from './limits';

/** Returns a function to call at every change of the text. */
export function createTypingNotices(store: Store): (id: ConversationId, text: string) => void {
  let last = { id: '', at: Number.NEGATIVE_INFINITY };
  return (id, text) => {
    const now = Date.now();
    const isTold = last.id === id && now - last.at < TYPING_MS;
    // Typing a command is not announced.
    if (isTold || text.trim() === '' || text.startsWith('/')) return;
    last = { id, at: now };
    store.commands.noteTyping(id);
  };
}
