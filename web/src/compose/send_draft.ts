/** Checks whether a draft can be sent, and sends it. */
import type { ConversationId } from '../api/model';
import { toast } from '../parts/toast/Toast';
import { refusalText } from '../parts/toast/toast_refusal';
import { type Draft, EMPTY_DRAFT, type Store } from '../state/contract';
import { forgetPreview } from './attach/previews';
import type { Upload } from './attach/uploads';
import { lengthStatusOf } from './length_limit';
import { askToSend } from './question/question_draft';

export type Readiness = 'ready' | 'empty' | 'too_long' | 'uploading' | 'file_failed';

/** Returns the most important reason against sending, or `ready`. */
export function readinessOf(draft: Draft, uploads: readonly Upload[]): Readiness {
  if (lengthStatusOf(draft.text).state === 'none') return 'too_long';
  if (uploads.some((upload) => upload.state === 'failed')) return 'file_failed';
  if (uploads.length > 0) return 'uploading';
  return draft.text.trim() === '' && draft.attachments.length === 0 ? 'empty' : 'ready';
}

/**
 * Sends the draft and empties it. When the outbox is full, shows why and keeps the draft. Keeps the indentation of the
 * first line, which may be code.
 */
export function sendDraft(store: Store, conversationId: ConversationId): void {
  const draft = store.draft(conversationId);
  const text = draft.text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  try {
    const { ask, ...rest } = draft;
    const question = draft.blocking ? askToSend(ask) : undefined;
    store.commands.send(conversationId, { ...rest, text, ...(question ? { ask: question } : {}) });
  } catch (thrown) {
    toast(`${refusalText(thrown)} Your text is kept.`, { kind: 'danger' });
    return;
  }
  draft.attachments.forEach(forgetPreview);
  store.commands.setDraft(conversationId, EMPTY_DRAFT);
}

export function isEmptyDraft(draft: Draft): boolean {
  return draft.text === '' && draft.attachments.length === 0;
}
