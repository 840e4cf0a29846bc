/**
 * Streaming answers of the open project: texts and steps.
 *
 * Kept for the whole project, so that a conversation opened in the middle of an answer has its text at once.
 */
import { createSignal } from 'solid-js';
import type { Author, Chunk, ConversationId, Message, Running, Step } from '../../api/model';
import { GrowingTextBuffer, type GrowResult } from './growing_text';

/** Beyond this number the oldest is dropped. */
export const STREAMS_MAX = 500;

export interface Stream {
  readonly messageId: string;
  readonly conversationId: ConversationId;
  /** The author; unknown until the message is loaded. */
  readonly from: Author | undefined;
  readonly text: GrowingTextBuffer;
  readonly steps: () => readonly Step[];
  readonly setSteps: (steps: readonly Step[]) => void;
}

export class Streams {
  readonly #byId = new Map<string, Stream>();
  readonly #list = createSignal<readonly Stream[]>([]);

  /** A signal: all streams, oldest first. It changes when one starts or ends. */
  all(): readonly Stream[] {
    return this.#list[0]();
  }

  get(messageId: string): Stream | undefined {
    return this.#byId.get(messageId);
  }

  /** A message was loaded or received: starts or ends its stream. */
  see(message: Message): void {
    const { id, to, body, steps = [], from } = message;
    const known = this.#byId.get(id);
    if (message.state !== 'streaming') this.end(id);
    else if (!known) this.#begin(id, to, body, steps, from);
    else this.#complete(known, message);
  }

  /** Sets the text and steps so far, as sent to a client that joins late. */
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

  /** Adds a chunk. An unknown stream can only start with its first chunk. */
  grow({ message_id, conversation_id, start, text }: Omit<Chunk, 'project_id'>): GrowResult {
    const known = this.#byId.get(message_id);
    if (known) return known.text.grow(start, text);
    if (start > 0) return 'misplaced';
    this.#begin(message_id, conversation_id, text, []);
    return 'done';
  }

  /** A step started or finished. */
  step(messageId: string, step: Step): void {
    const known = this.#byId.get(messageId);
    if (!known) return;
    const steps = known.steps();
    const index = steps.findIndex((one) => one.id === step.id);
    known.setSteps(index < 0 ? [...steps, step] : steps.with(index, step));
  }

  end(messageId: string): void {
    if (this.#byId.delete(messageId)) this.#publish();
  }

  clear(): void {
    if (this.#byId.size === 0) return;
    this.#byId.clear();
    this.#publish();
  }

  #begin(messageId: string, conversationId: ConversationId, text: string, first: readonly Step[], from?: Author): void {
    const [steps, setSteps] = createSignal(first);
    this.#byId.set(messageId, { messageId, conversationId, from, text: new GrowingTextBuffer(text), steps, setSteps });
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > STREAMS_MAX && oldest) this.#byId.delete(oldest);
    this.#publish();
  }

  /** Completes a stream from its message, which may be older than the stream. */
  #complete(known: Stream, { id, body, from }: Message): void {
    if (body.length > known.text.text().length) known.text.set(body);
    if (known.from) return;
    this.#byId.set(id, { ...known, from });
    this.#publish();
  }

  #publish(): void {
    this.#list[1]([...this.#byId.values()]);
  }
}
