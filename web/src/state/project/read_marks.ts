/** Sends read marks to the hub: only the newest of each conversation, rate-limited. */
import type { ConversationId } from '../../api/model';

/** Minimum interval of one conversation. */
export const MARK_EVERY_MS = 500;

export interface ReadMarksParts {
  /** Returns the newest loaded message up to a number. */
  find(conversation: ConversationId, seq: number): { id: string; seq: number } | undefined;
  /** The read position that the hub has. */
  readSeq(conversation: ConversationId): number;
  mark(messageId: string): Promise<unknown>;
}

export class ReadMarks {
  /** Marks to send, by conversation. */
  readonly #pending = new Map<ConversationId, number>();
  /** Marks that could not be sent; retried with the next connection or mark. */
  readonly #failed = new Map<ConversationId, number>();
  readonly #sent = new Map<ConversationId, number>();
  readonly #timers = new Map<ConversationId, ReturnType<typeof setTimeout>>();

  constructor(private readonly parts: ReadMarksParts) {}

  note(conversation: ConversationId, seq: number): void {
    const { parts } = this;
    const known = [this.#sent, this.#pending, this.#failed].map((map) => map.get(conversation) ?? 0);
    if (seq <= Math.max(parts.readSeq(conversation), ...known)) return;
    this.#pending.set(conversation, seq);
    if (!this.#timers.has(conversation)) void this.#send(conversation);
  }

  /** Sends failed marks again. */
  retry(): void {
    const failed = [...this.#failed];
    this.#failed.clear();
    for (const [conversation, seq] of failed) this.note(conversation, seq);
  }

  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const map of [this.#timers, this.#pending, this.#failed, this.#sent]) map.clear();
  }

  async #send(conversation: ConversationId): Promise<void> {
    const pending = this.#pending.get(conversation);
    const message = pending === undefined ? undefined : this.parts.find(conversation, pending);
    if (pending === undefined || !message) return;
    this.#timers.set(
      conversation,
      setTimeout(() => {
        this.#timers.delete(conversation);
        void this.#send(conversation);
      }, MARK_EVERY_MS),
    );
    this.#pending.delete(conversation);
    const before = this.#sent.get(conversation) ?? 0;
    if (message.seq <= before) return;
    this.#sent.set(conversation, message.seq);
    await this.parts.mark(message.id).catch(() => {
      this.#sent.set(conversation, before);
      this.#failed.set(conversation, pending);
    });
  }
}
