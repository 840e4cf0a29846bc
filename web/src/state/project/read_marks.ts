/** Tells the hub what was read: the newest place only, and not more often than people read. */
import type { ConversationId } from '../../api/model';

/** Marks of one conversation go out at most this often. */
export const MARK_EVERY_MS = 500;

export interface ReadMarksParts {
  /** The newest message up to a number that is known, with its own number. */
  find(conversation: ConversationId, seq: number): { id: string; seq: number } | undefined;
  /** Up to where the hub knows it already. */
  readSeq(conversation: ConversationId): number;
  mark(messageId: string): Promise<unknown>;
}

export class ReadMarks {
  /** What is to be told, by conversation. */
  readonly #wished = new Map<ConversationId, number>();
  /** What could not be told: it waits for the next connection, or for more that is read. */
  readonly #untold = new Map<ConversationId, number>();
  readonly #told = new Map<ConversationId, number>();
  readonly #timers = new Map<ConversationId, ReturnType<typeof setTimeout>>();

  constructor(private readonly parts: ReadMarksParts) {}

  note(conversation: ConversationId, seq: number): void {
    const { parts } = this;
    const known = [this.#told, this.#wished, this.#untold].map((map) => map.get(conversation) ?? 0);
    if (seq <= Math.max(parts.readSeq(conversation), ...known)) return;
    this.#wished.set(conversation, seq);
    if (!this.#timers.has(conversation)) void this.#tell(conversation);
  }

  /** Tells again what could not be told. */
  retry(): void {
    const untold = [...this.#untold];
    this.#untold.clear();
    for (const [conversation, seq] of untold) this.note(conversation, seq);
  }

  clear(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const map of [this.#timers, this.#wished, this.#untold, this.#told]) map.clear();
  }

  async #tell(conversation: ConversationId): Promise<void> {
    const wished = this.#wished.get(conversation);
    const message = wished === undefined ? undefined : this.parts.find(conversation, wished);
    if (wished === undefined || !message) return;
    this.#timers.set(
      conversation,
      setTimeout(() => {
        this.#timers.delete(conversation);
        void this.#tell(conversation);
      }, MARK_EVERY_MS),
    );
    this.#wished.delete(conversation);
    const before = this.#told.get(conversation) ?? 0;
    if (message.seq <= before) return;
    this.#told.set(conversation, message.seq);
    await this.parts.mark(message.id).catch(() => {
      this.#told.set(conversation, before);
      this.#untold.set(conversation, wished);
    });
  }
}
