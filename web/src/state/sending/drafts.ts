/**
 * Drafts of one member by conversation, kept in the browser.
 *
 * Tabs share drafts: the focused tab keeps its own, other tabs take what it writes.
 */
import type { ConversationId } from '../../api/model';
import { type Draft, EMPTY_DRAFT } from '../contract';
import type { Storage } from '../storage';
import { Triggers } from '../triggers';

/** Minimum interval between writes. */
export const WRITE_EVERY_MS = 300;
/** Limits for drafts and their characters; the oldest are dropped first. */
export const DRAFTS_MAX = 200;
export const DRAFTS_CHARS_MAX = 1_000_000;

interface StoredDraft {
  readonly at: number;
  readonly draft: Draft;
}

export class Drafts {
  readonly #kept = new Map<ConversationId, StoredDraft>();
  readonly #changed = new Triggers();
  readonly #unwritten = new Set<ConversationId>();
  readonly #prefix: string;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #stop: () => void;

  constructor(
    private readonly storage: Storage,
    memberId: string,
    hasFocus: () => boolean = () => document.hasFocus(),
  ) {
    this.#prefix = `parlour.draft.${memberId}.`;
    for (const key of storage.keys(this.#prefix)) this.#take(key, storage.get(key));
    this.#evict();
    const stopListening = storage.listen(this.#prefix, (key, value) => !hasFocus() && this.#take(key, value));
    const onLeaving = () => this.write();
    addEventListener('pagehide', onLeaving);
    this.#stop = () => {
      stopListening();
      removeEventListener('pagehide', onLeaving);
    };
  }

  get(conversation: ConversationId): Draft {
    this.#changed.track(conversation);
    return this.#kept.get(conversation)?.draft ?? EMPTY_DRAFT;
  }

  set(conversation: ConversationId, draft: Draft): void {
    if (isEmpty(draft)) this.#kept.delete(conversation);
    else this.#kept.set(conversation, { at: Date.now(), draft });
    this.#unwritten.add(conversation);
    this.#evict();
    this.#changed.run(conversation);
    this.#timer ??= setTimeout(() => this.write(), WRITE_EVERY_MS);
  }

  /** Writes changes at once. */
  write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const conversation of this.#unwritten) {
      const kept = this.#kept.get(conversation);
      if (kept) this.storage.set(this.#prefix + conversation, kept);
      else this.storage.remove(this.#prefix + conversation);
    }
    this.#unwritten.clear();
  }

  close(): void {
    this.write();
    this.#stop();
  }

  #take(key: string, value: unknown): void {
    const conversation = key.slice(this.#prefix.length);
    const kept = readStored(value);
    if (kept) this.#kept.set(conversation, kept);
    else this.#kept.delete(conversation);
    this.#changed.run(conversation);
  }

  #evict(): void {
    const oldestFirst = [...this.#kept].sort(([, one], [, other]) => one.at - other.at);
    let chars = oldestFirst.reduce((sum, [, { draft }]) => sum + draft.text.length, 0);
    for (const [conversation, { draft }] of oldestFirst.slice(0, -1)) {
      if (this.#kept.size <= DRAFTS_MAX && chars <= DRAFTS_CHARS_MAX) return;
      chars -= draft.text.length;
      this.#kept.delete(conversation);
      this.#unwritten.add(conversation);
      this.#changed.run(conversation);
    }
  }
}

export function isEmpty(draft: Draft): boolean {
  const isPlain = draft.importance === 'normal' && !draft.blocking && !draft.ask && !draft.replyTo;
  return draft.text === '' && draft.attachments.length === 0 && isPlain;
}

function readStored(value: unknown): StoredDraft | undefined {
  const kept = value as Partial<StoredDraft> | undefined;
  const isOne = typeof kept?.at === 'number' && typeof kept.draft?.text === 'string';
  return isOne ? { at: kept.at ?? 0, draft: { ...EMPTY_DRAFT, ...kept.draft } as Draft } : undefined;
}
