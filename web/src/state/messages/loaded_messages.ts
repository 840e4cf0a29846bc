/**
 * The loaded messages of one conversation: a contiguous range of its history, with the same rules as the message list
 * of `parlour-core`.
 *
 * Events may arrive twice, and may contain a message in a later state; after the last event the range equals the
 * history. Changes in place, because it holds up to `LOADED_MESSAGES_MAX` messages and gets every event; only the list
 * of ids is replaced.
 */
import type { Change } from '../../api/events';
import type { Chunk, ConversationId, Message, Running } from '../../api/model';
import { asked, linked, reacted, unreacted } from './message_changes';
import { Streams } from './streams';

/** Beyond this number messages at the far end are dropped. */
export const LOADED_MESSAGES_MAX = 20_000;

/** Result of applying an event. `missing`: load the messages after this number. */
export type ApplyResult =
  | { type: 'done'; id: string }
  | { type: 'known' }
  /** The message is not loaded. */
  | { type: 'elsewhere' }
  | { type: 'missing'; after: number }
  /** A chunk does not match the text: load the message again. */
  | { type: 'misplaced'; id: string };

const KNOWN: ApplyResult = { type: 'known' };
const ELSEWHERE: ApplyResult = { type: 'elsewhere' };

export class LoadedMessages {
  #ids: readonly string[] = [];
  readonly #byId = new Map<string, Message>();
  /** Whether the range reaches the newest message, so that new ones are added, and the oldest. */
  reachesNewest = false;
  reachesOldest = false;

  constructor(
    readonly conversationId: ConversationId,
    readonly streams = new Streams(),
    readonly max = LOADED_MESSAGES_MAX,
  ) {}

  /** Oldest first. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  get(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  get firstSeq(): number | undefined {
    return this.#byId.get(this.#ids[0] ?? '')?.seq;
  }

  /** The number of the newest loaded message; 0 when there is none. */
  get lastSeq(): number {
    return this.#byId.get(this.#ids.at(-1) ?? '')?.seq ?? 0;
  }

  upTo(seq: number): Message | undefined {
    const id = this.#ids.findLast((one) => (this.#byId.get(one)?.seq ?? Number.POSITIVE_INFINITY) <= seq);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** Returns the messages with the current streaming texts. */
  messages(): Message[] {
    const known = this.#ids.flatMap((id) => this.#byId.get(id) ?? []);
    return known.map((message) => {
      const stream = message.state === 'streaming' ? this.streams.get(message.id) : undefined;
      return stream ? { ...message, body: stream.text.text(), steps: [...stream.steps()] } : message;
    });
  }

  /** Replaces the range, oldest first. */
  reset(messages: readonly Message[], reach: { newest: boolean; oldest: boolean }): void {
    const before = new Map(this.#byId);
    this.#byId.clear();
    for (const message of messages) {
      const known = before.get(message.id);
      this.#hold(known && isSame(known, message) ? known : message);
    }
    this.#ids = messages.map((message) => message.id);
    this.reachesNewest = reach.newest;
    this.reachesOldest = reach.oldest;
    this.#evictOldest();
  }

  /** Adds the page before the range. */
  prepend(page: readonly Message[], reachesOldest: boolean): void {
    const older = page.filter((message) => message.seq < (this.firstSeq ?? Number.POSITIVE_INFINITY));
    for (const message of older) this.#hold(message);
    this.#ids = [...older.map((message) => message.id), ...this.#ids];
    this.reachesOldest = reachesOldest;
    this.#evictNewest();
  }

  /** Adds the page after the range. */
  append(page: readonly Message[], reachesNewest: boolean): void {
    const newer = page.filter((message) => message.seq > this.lastSeq);
    for (const message of newer) this.#hold(message);
    this.#ids = [...this.#ids, ...newer.map((message) => message.id)];
    this.reachesNewest = reachesNewest;
    this.#evictOldest();
  }

  apply(event: Change): ApplyResult {
    switch (event.name) {
      case 'messaging.posted':
        return this.add(event.data);
      case 'messaging.edited':
      case 'messaging.finished':
      case 'messaging.removed':
        return this.replace(event.data);
      case 'messaging.reacted':
        return this.#change(event.data.message_id, (message) => reacted(message, event.data));
      case 'messaging.unreacted':
        return this.#change(event.data.message_id, (message) => unreacted(message, event.data));
      case 'messaging.question':
        return this.#change(event.data.message_id, (message) => asked(message, event.data));
      case 'messaging.thread_created':
        return this.#change(event.data.root_message_id, (message) => linked(message, event.data));
      default:
        return ELSEWHERE;
    }
  }

  /** Adds a posted message. A known message is as new or newer, and later events will repeat the change. */
  add(message: Message): ApplyResult {
    if (message.to !== this.conversationId || !this.reachesNewest) return ELSEWHERE;
    if (message.seq <= this.lastSeq) return KNOWN;
    if (message.seq !== this.lastSeq + 1) return { type: 'missing', after: this.lastSeq };
    this.#hold(message);
    this.#ids = [...this.#ids, message.id];
    this.#evictOldest();
    return { type: 'done', id: message.id };
  }

  /** Replaces a message by a newer version. */
  replace(newer: Message): ApplyResult {
    return this.#change(newer.id, (message) => (isSame(message, newer) ? message : newer));
  }

  /** Adds a chunk to a streaming message. */
  applyChunk(chunk: Omit<Chunk, 'project_id'>): ApplyResult {
    return this.#grow(chunk.message_id, () => this.streams.grow(chunk));
  }

  /** Sets the text and steps of a streaming message. */
  applyStream(running: Omit<Running, 'project_id'>): ApplyResult {
    return this.#grow(running.message_id, () => this.streams.set(running));
  }

  #grow(id: string, grow: () => 'done' | 'known' | 'misplaced'): ApplyResult {
    const message = this.#byId.get(id);
    if (!message) return ELSEWHERE;
    if (message.state !== 'streaming') return KNOWN;
    const grown = grow();
    return grown === 'known' ? KNOWN : { type: grown, id };
  }

  #change(id: string, change: (message: Message) => Message): ApplyResult {
    const message = this.#byId.get(id);
    if (!message) return ELSEWHERE;
    const next = change(message);
    if (next === message) return KNOWN;
    this.#hold(next);
    return { type: 'done', id };
  }

  #hold(message: Message): void {
    this.#byId.set(message.id, message);
    this.streams.see(message);
  }

  #evictOldest(): void {
    const surplus = this.#ids.length - this.max;
    if (surplus <= 0) return;
    for (const id of this.#ids.slice(0, surplus)) this.#byId.delete(id);
    this.#ids = this.#ids.slice(surplus);
    this.reachesOldest = false;
  }

  #evictNewest(): void {
    if (this.#ids.length <= this.max) return;
    for (const id of this.#ids.slice(this.max)) this.#byId.delete(id);
    this.#ids = this.#ids.slice(0, this.max);
    this.reachesNewest = false;
  }
}

function isSame(one: Message, other: Message): boolean {
  return one.state === other.state && one.body === other.body && JSON.stringify(one) === JSON.stringify(other);
}
