/**
 * The loaded messages of one conversation, a piece of its history without a hole: the twin of `parlour-core`'s `Timeline`.
 *
 * Everything here may be told twice, and events of the log may show messages as they are now: after the last of them it
 * shows what the history shows. It changes in place, since it holds up to `TIMELINE_MESSAGES_MAX` messages and hears of
 * every event; the list of ids alone is a new one after each change.
 */
import type { Change } from '../../api/events';
import type { Chunk, ConversationId, Message, Running } from '../../api/model';
import { asked, linked, reacted, unreacted } from './message_changes';
import { Streams } from './streams';

/** Messages of one conversation that are held at once; beyond that those at the far end are let go. */
export const LOADED_MESSAGES_MAX = 20_000;

/** What came of something that was told. `missing`: messages are missing before it; read those after this number. */
export type ApplyResult =
  | { type: 'done'; id: string }
  | { type: 'known' }
  /** It is about nothing that is loaded. */
  | { type: 'elsewhere' }
  | { type: 'missing'; after: number }
  /** A piece does not fit the text that is there: read the message anew. */
  | { type: 'misplaced'; id: string };

const KNOWN: ApplyResult = { type: 'known' };
const ELSEWHERE: ApplyResult = { type: 'elsewhere' };

export class LoadedMessages {
  #ids: readonly string[] = [];
  readonly #byId = new Map<string, Message>();
  /** Whether it reaches to the newest message, so new ones are added, and to the oldest. */
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

  /** The number of the newest that is loaded; 0 when there is none. */
  get lastSeq(): number {
    return this.#byId.get(this.#ids.at(-1) ?? '')?.seq ?? 0;
  }

  /** The newest message up to a number. */
  upTo(seq: number): Message | undefined {
    const id = this.#ids.findLast((one) => (this.#byId.get(one)?.seq ?? Number.POSITIVE_INFINITY) <= seq);
    return id === undefined ? undefined : this.#byId.get(id);
  }

  /** The messages as the history shows them, growing texts as they are now. */
  messages(): Message[] {
    const known = this.#ids.flatMap((id) => this.#byId.get(id) ?? []);
    return known.map((message) => {
      const stream = message.state === 'streaming' ? this.streams.get(message.id) : undefined;
      return stream ? { ...message, body: stream.text.text(), steps: [...stream.steps()] } : message;
    });
  }

  /** Begins anew with one piece of the history, oldest first. */
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
    this.#letGoOldest();
  }

  /** Takes the page before what is loaded. */
  prepend(page: readonly Message[], reachesOldest: boolean): void {
    const older = page.filter((message) => message.seq < (this.firstSeq ?? Number.POSITIVE_INFINITY));
    for (const message of older) this.#hold(message);
    this.#ids = [...older.map((message) => message.id), ...this.#ids];
    this.reachesOldest = reachesOldest;
    this.#letGoNewest();
  }

  /** Takes the page after what is loaded. */
  append(page: readonly Message[], reachesNewest: boolean): void {
    const newer = page.filter((message) => message.seq > this.lastSeq);
    for (const message of newer) this.#hold(message);
    this.#ids = [...this.#ids, ...newer.map((message) => message.id)];
    this.reachesNewest = reachesNewest;
    this.#letGoOldest();
  }

  /** Takes what an event changes. */
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

  /** A message that was posted. What is loaded is as new as it or newer, and later events will say the same. */
  add(message: Message): ApplyResult {
    if (message.to !== this.conversationId || !this.reachesNewest) return ELSEWHERE;
    if (message.seq <= this.lastSeq) return KNOWN;
    if (message.seq !== this.lastSeq + 1) return { type: 'missing', after: this.lastSeq };
    this.#hold(message);
    this.#ids = [...this.#ids, message.id];
    this.#letGoOldest();
    return { type: 'done', id: message.id };
  }

  /** A newer form of a message. */
  replace(newer: Message): ApplyResult {
    return this.#change(newer.id, (message) => (isSame(message, newer) ? message : newer));
  }

  /** Takes a further piece of a text that grows. */
  applyChunk(chunk: Omit<Chunk, 'project_id'>): ApplyResult {
    return this.#grow(chunk.message_id, () => this.streams.grow(chunk));
  }

  /** Takes the whole text and the steps so far of a message that is being written. */
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

  #letGoOldest(): void {
    const surplus = this.#ids.length - this.max;
    if (surplus <= 0) return;
    for (const id of this.#ids.slice(0, surplus)) this.#byId.delete(id);
    this.#ids = this.#ids.slice(surplus);
    this.reachesOldest = false;
  }

  #letGoNewest(): void {
    if (this.#ids.length <= this.max) return;
    for (const id of this.#ids.slice(this.max)) this.#byId.delete(id);
    this.#ids = this.#ids.slice(0, this.max);
    this.reachesNewest = false;
  }
}

function isSame(one: Message, other: Message): boolean {
  return one.state === other.state && one.body === other.body && JSON.stringify(one) === JSON.stringify(other);
}
