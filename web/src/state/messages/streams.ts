/**
 * The answers that are being written in the open project: their growing texts and the steps of their writers.
 *
 * Kept for the whole project and not for the loaded conversations only, so whoever opens a conversation in the middle of
 * an answer has its text at once.
 */
import { createSignal } from 'solid-js';
import type { Author, Chunk, ConversationId, Message, Running, Step } from '../../api/model';
import { GrowingTextBuffer, type GrowResult } from './growing_text';

/** Answers that are followed at once; the oldest is forgotten beyond that. */
export const STREAMS_MAX = 500;

/** One answer that is being written. */
export interface Stream {
  readonly messageId: string;
  readonly conversationId: ConversationId;
  /** Who writes it; not known until its message was seen. */
  readonly from: Author | undefined;
  readonly text: GrowingTextBuffer;
  /** A signal: what its writer did so far. */
  readonly steps: () => readonly Step[];
  readonly setSteps: (steps: readonly Step[]) => void;
}

export class Streams {
  readonly #byId = new Map<string, Stream>();
  readonly #list = createSignal<readonly Stream[]>([]);

  /** A signal: all of them, oldest first. It runs when one begins or ends. */
  all(): readonly Stream[] {
    return this.#list[0]();
  }

  get(messageId: string): Stream | undefined {
    return this.#byId.get(messageId);
  }

  /** A message was loaded or told: if it is being written, its text so far is followed from here. */
  see(message: Message): void {
    const { id, to, body, steps = [], from } = message;
    const known = this.#byId.get(id);
    if (message.state !== 'streaming') this.end(id);
    else if (!known) this.#begin(id, to, body, steps, from);
    else this.#complete(known, message);
  }

  /** The whole text and the steps so far, as the hub tells whoever joins in the middle. */
  set({ message_id, conversation_id, text, steps = [] }: Omit<Running, 'project_id'>): GrowResult {
    const known = this.#byId.get(message_id);
    if (!known) {
      this.#begin(message_id, conversation_id, text, steps);
      return 'done';
    }
    const areSame = JSON.stringify(known.steps()) === JSON.stringify(steps);
    if (!areSame) known.setSteps(steps);
    const grown = known.text.set(text);
    return grown === 'known' && !areSame ? 'done' : grown;
  }

  /** A further piece. One of an answer that is not known fits only at its beginning. */
  grow({ message_id, conversation_id, start, text }: Omit<Chunk, 'project_id'>): GrowResult {
    const known = this.#byId.get(message_id);
    if (known) return known.text.grow(start, text);
    if (start > 0) return 'misplaced';
    this.#begin(message_id, conversation_id, text, []);
    return 'done';
  }

  /** A step began, or ended. */
  step(messageId: string, step: Step): void {
    const known = this.#byId.get(messageId);
    if (!known) return;
    const steps = known.steps();
    const place = steps.findIndex((one) => one.id === step.id);
    known.setSteps(place < 0 ? [...steps, step] : steps.with(place, step));
  }

  end(messageId: string): void {
    if (this.#byId.delete(messageId)) this.#tell();
  }

  clear(): void {
    if (this.#byId.size === 0) return;
    this.#byId.clear();
    this.#tell();
  }

  #begin(messageId: string, conversationId: ConversationId, text: string, first: readonly Step[], from?: Author): void {
    const [steps, setSteps] = createSignal(first);
    this.#byId.set(messageId, { messageId, conversationId, from, text: new GrowingTextBuffer(text), steps, setSteps });
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > STREAMS_MAX && oldest) this.#byId.delete(oldest);
    this.#tell();
  }

  /** Takes what a message knows more. It may be older than the text that is followed. */
  #complete(known: Stream, { id, body, from }: Message): void {
    if (body.length > known.text.text().length) known.text.set(body);
    if (known.from) return;
    this.#byId.set(id, { ...known, from });
    this.#tell();
  }

  #tell(): void {
    this.#list[1]([...this.#byId.values()]);
  }
}
