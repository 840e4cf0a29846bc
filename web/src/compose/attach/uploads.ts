/**
 * Uploads of each conversation. They belong to the page, not to a composer: a reader who switches conversations finds
 * finished uploads in the draft.
 */
import { type Accessor, createRoot, createSignal, type Setter } from 'solid-js';
import type { Attachment, ConversationId } from '../../api/model';
import { toRefusal } from '../../api/refusal';
import { sizeText } from '../../message/bubble/attachment_files';
import type { Store } from '../../state/contract';
import { FILE_BYTES_MAX, FILES_MAX, UPLOADS_AT_ONCE_MAX } from '../limits';
import { readinessOf, sendDraft } from '../send_draft';
import { keepPreview, previewUrl } from './previews';

export type Upload = {
  readonly key: number;
  readonly file: File;
  /** Object URL of the preview. */
  readonly preview: string | undefined;
} & (
  | { readonly state: 'waiting' }
  /** `share` is from 0 to 1. */
  | { readonly state: 'running'; readonly share: number }
  /** Stays until it is removed. `mayRetry` is false for a file that the hub will never accept. */
  | { readonly state: 'failed'; readonly words: string; readonly mayRetry: boolean }
);

type UploadsByConversation = ReadonlyMap<ConversationId, readonly Upload[]>;

type Phase =
  | { state: 'waiting' }
  | { state: 'running'; share: number }
  | { state: 'failed'; words: string; mayRetry: boolean };

const perStore = new WeakMap<Store, Uploads>();

/** Returns the uploads of a page. */
export function uploadsOf(store: Store): Uploads {
  const known = perStore.get(store);
  if (known) return known;
  const made = createRoot(() => new Uploads(store));
  perStore.set(store, made);
  return made;
}

export class Uploads {
  readonly #store: Store;
  readonly #all: Accessor<UploadsByConversation>;
  readonly #setAll: Setter<UploadsByConversation>;
  readonly #waiting: Accessor<ReadonlySet<ConversationId>>;
  readonly #setWaiting: Setter<ReadonlySet<ConversationId>>;
  readonly #aborts = new Map<number, AbortController>();
  #lastKey = 0;

  constructor(store: Store) {
    this.#store = store;
    [this.#all, this.#setAll] = createSignal<UploadsByConversation>(new Map());
    [this.#waiting, this.#setWaiting] = createSignal<ReadonlySet<ConversationId>>(new Set());
  }

  /** Signal: unfinished uploads of a conversation. */
  of(id: ConversationId): readonly Upload[] {
    return this.#all().get(id) ?? [];
  }

  /** Signal: whether the draft is sent as soon as its uploads are finished. */
  sendsWhenDone(id: ConversationId): boolean {
    return this.#waiting().has(id);
  }

  setSendsWhenDone(id: ConversationId, isWanted: boolean): void {
    this.#setWaiting((old) => {
      const next = new Set(old);
      if (isWanted) next.add(id);
      else next.delete(id);
      return next;
    });
  }

  /** Adds files; returns how many exceeded the limit of one message and were left out. */
  add(id: ConversationId, files: readonly File[]): number {
    const room = FILES_MAX - this.of(id).length - this.#store.draft(id).attachments.length;
    const accepted = files.slice(0, Math.max(0, room));
    this.#set(id, [...this.of(id), ...accepted.map((file) => this.#begin(file))]);
    this.#startNext();
    return files.length - accepted.length;
  }

  /** Removes an upload and cancels it if it is running. */
  remove(id: ConversationId, key: number): void {
    const upload = this.of(id).find((one) => one.key === key);
    this.#aborts.get(key)?.abort();
    this.#aborts.delete(key);
    if (upload?.preview) URL.revokeObjectURL(upload.preview);
    this.#drop(id, key);
    // Without the file the writer may not want to send the text.
    if (this.of(id).length === 0) this.setSendsWhenDone(id, false);
    this.#startNext();
    this.#sendIfDone(id);
  }

  retry(id: ConversationId, key: number): void {
    this.#patch(id, key, { state: 'waiting' });
    this.#startNext();
  }

  #begin(file: File): Upload {
    this.#lastKey += 1;
    const base = { key: this.#lastKey, file, preview: previewUrl(file) };
    return file.size <= FILE_BYTES_MAX
      ? { ...base, state: 'waiting' }
      : { ...base, state: 'failed', words: tooLarge(file), mayRetry: false };
  }

  #startNext(): void {
    for (const [id, uploads] of this.#all()) {
      for (const upload of uploads) {
        if (this.#aborts.size >= UPLOADS_AT_ONCE_MAX) return;
        if (upload.state === 'waiting') void this.#run(id, upload);
      }
    }
  }

  async #run(id: ConversationId, { key, file, preview }: Upload): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(key, abort);
    this.#patch(id, key, { state: 'running', share: 0 });
    const onProgress = (share: number) => this.#patch(id, key, { state: 'running', share });
    try {
      const attachment = await this.#store.commands.upload(id, file, { onProgress, signal: abort.signal });
      if (!abort.signal.aborted) this.#arrive(id, key, attachment, preview);
    } catch (thrown) {
      if (!abort.signal.aborted) this.#fail(id, key, thrown);
    } finally {
      this.#aborts.delete(key);
      this.#startNext();
    }
  }

  #arrive(id: ConversationId, key: number, attachment: Attachment, preview: string | undefined): void {
    const draft = this.#store.draft(id);
    if (preview) keepPreview(attachment, preview);
    this.#store.commands.setDraft(id, { ...draft, attachments: [...draft.attachments, attachment] });
    this.#drop(id, key);
    this.#sendIfDone(id);
  }

  #fail(id: ConversationId, key: number, thrown: unknown): void {
    const refusal = toRefusal(thrown);
    const code = refusal.isUnreachable ? '' : ` (${refusal.code})`;
    this.#patch(id, key, { state: 'failed', words: `Not uploaded. ${refusal.message}${code}`, mayRetry: true });
    this.setSendsWhenDone(id, false);
  }

  #sendIfDone(id: ConversationId): void {
    const draft = this.#store.draft(id);
    if (!this.sendsWhenDone(id) || readinessOf(draft, this.of(id)) === 'uploading') return;
    this.setSendsWhenDone(id, false);
    if (readinessOf(draft, this.of(id)) === 'ready') sendDraft(this.#store, id);
  }

  #patch(id: ConversationId, key: number, phase: Phase): void {
    const change = (one: Upload): Upload => ({ key: one.key, file: one.file, preview: one.preview, ...phase });
    this.#set(
      id,
      this.of(id).map((one) => (one.key === key ? change(one) : one)),
    );
  }

  #drop(id: ConversationId, key: number): void {
    this.#set(
      id,
      this.of(id).filter((one) => one.key !== key),
    );
  }

  #set(id: ConversationId, uploads: readonly Upload[]): void {
    this.#setAll((old) => {
      const next = new Map(old);
      if (uploads.length > 0) next.set(id, uploads);
      else next.delete(id);
      return next;
    });
  }
}

function tooLarge(file: File): string {
  return `Too large: ${sizeText(file.size)}. The limit is ${sizeText(FILE_BYTES_MAX)}.`;
}
