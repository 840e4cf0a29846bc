/** The timeline of one conversation as signals: loads pages, takes events, and shows what is on its way behind them. */
import { batch, createMemo, createRoot, createSignal } from 'solid-js';
import type { Change } from '../api/events';
import { type Hub, PAGE_ITEMS_MAX } from '../api/hub';
import type { ConversationId, Message, Step } from '../api/model';
import { type Refusal, toRefusal } from '../api/refusal';
import type { End, GrowingText, Outgoing, Timeline } from './contract';
import { Heard } from './heard';
import { pagesAgain } from './history';
import type { Streams } from './streams';
import { type Followed, LoadedMessages, TIMELINE_MESSAGES_MAX } from './timeline';
import { Triggers } from './triggers';

const AROUND_ITEMS = PAGE_ITEMS_MAX / 2;

/** What a conversation needs of the rest. */
export interface Surroundings {
  readonly hub: Pick<Hub, 'history' | 'message'>;
  readonly streams: Streams;
  /** A signal: what is on its way, in all conversations. */
  outbox(): readonly Outgoing[];
  /** Up to where the reader had read, if something is unread now. */
  unreadAfter(conversation: ConversationId): number | undefined;
  /** Settles when events are followed: a page that was read before would miss what happened in between. */
  ready(): Promise<unknown>;
}

export class ConversationTimeline implements Timeline {
  readonly #model: LoadedMessages;
  readonly #messages = new Triggers();
  readonly #heard = new Heard();
  readonly #loaded = createSignal<readonly string[]>([]);
  readonly #loading = createSignal(true);
  readonly #failed = createSignal<Refusal | undefined>();
  readonly #ends = { older: createSignal<End>('more'), newer: createSignal<End>('more') };
  readonly #readAtOpening = createSignal<number | undefined>();
  /** Counts the times that the timeline began anew: answers to earlier wishes are dropped. */
  #life = 0;
  /** The piece that is on its way. */
  #beginning: Beginning | undefined;
  #filling: Promise<void> | undefined;
  /** Messages are known to be missing behind the newest that is loaded. */
  #isBehind = false;
  /** What is loaded was to be read again, and could not. */
  #isStale = false;
  readonly ids: () => readonly string[];
  readonly dispose: () => void;

  constructor(
    readonly conversationId: ConversationId,
    private readonly around: Surroundings,
  ) {
    this.#model = new LoadedMessages(conversationId, around.streams);
    const [ids, dispose] = createRoot((end) => {
      const all = createMemo(() => this.#allIds(), undefined, { equals: areSame });
      return [all, end] as const;
    });
    this.ids = ids;
    this.dispose = dispose;
    const life = this.#life;
    // A view that wants an older place says so at once, and then the newest are not asked for.
    queueMicrotask(() => this.#life === life && void this.reload());
    void around.ready().then(() => this.#readAtOpening[0]() === undefined && this.open());
  }

  loading = () => this.#loading[0]();
  failed = () => this.#failed[0]();
  older = () => this.#ends.older[0]();
  newer = () => this.#ends.newer[0]();
  readAtOpening = () => this.#readAtOpening[0]();

  /** The project of its messages, once one is loaded. */
  get projectId(): string | undefined {
    return this.#model.get(this.#model.ids[0] ?? '')?.project_id;
  }

  /** How many messages are held. */
  get size(): number {
    return this.#model.ids.length;
  }

  open(): void {
    this.#readAtOpening[1](this.around.unreadAfter(this.conversationId));
  }

  message(id: string): Message | undefined {
    this.#messages.track(id);
    return this.#model.get(id);
  }

  /** A message, without following it. */
  peek(id: string): Message | undefined {
    return this.#model.get(id);
  }

  /** The newest loaded message up to a number. */
  upTo(seq: number): Message | undefined {
    return this.#model.upTo(seq);
  }

  outgoing(id: string): Outgoing | undefined {
    const found = this.around.outbox().find((one) => one.id === id && one.conversationId === this.conversationId);
    return found && !this.message(id) ? found : undefined;
  }

  growing(id: string): GrowingText | undefined {
    return this.message(id)?.state === 'streaming' ? this.around.streams.get(id)?.text : undefined;
  }

  steps(id: string): readonly Step[] {
    const message = this.message(id);
    const stream = message?.state === 'streaming' ? this.around.streams.get(id) : undefined;
    return stream ? stream.steps() : (message?.steps ?? []);
  }

  reload(): Promise<void> {
    return this.#begin(async () => {
      const page = await this.around.hub.history(this.conversationId, { limit: PAGE_ITEMS_MAX });
      return { messages: page.items.toReversed(), newest: true, oldest: !page.next };
    });
  }

  async loadNewest(): Promise<void> {
    if (!this.#model.reachesNewest) await this.reload();
  }

  async loadAround(messageId: string): Promise<boolean> {
    if (this.#model.get(messageId)) return true;
    const { hub } = this.around;
    let isThere = false;
    await this.#begin(async () => {
      const message = await hub.message(messageId);
      if (message?.to !== this.conversationId) return undefined;
      isThere = true;
      const [before, after] = await Promise.all([
        hub.history(this.conversationId, { before: message.seq + 1, limit: AROUND_ITEMS }),
        hub.history(this.conversationId, { since: message.seq, limit: AROUND_ITEMS }),
      ]);
      const messages = [...before.items.toReversed(), ...after.items];
      return { messages, newest: !after.next, oldest: !before.next };
    });
    if (!isThere && this.size === 0 && !this.failed()) await this.reload();
    return this.#model.get(messageId) !== undefined;
  }

  loadOlder(): Promise<void> {
    if (this.#model.reachesOldest) return Promise.resolve();
    return this.#extend('older', async () => {
      const before = this.#model.firstSeq;
      const page = await this.around.hub.history(this.conversationId, { before, limit: PAGE_ITEMS_MAX });
      return () => {
        if (before === this.#model.firstSeq) this.#model.prepend(page.items.toReversed(), !page.next);
        return page.items;
      };
    });
  }

  loadNewer(): Promise<void> {
    if (this.#model.reachesNewest) return Promise.resolve();
    return this.#extend('newer', () => this.#pageAfter());
  }

  /** Reads again what is loaded: events may have been missed. */
  async refresh(): Promise<void> {
    const { read, isReading } = this.#beginning ?? {};
    if (read) return isReading ? this.#begin(read) : undefined;
    if (this.size === 0) return this.reload();
    const [first, last] = [this.#model.firstSeq ?? 1, this.#model.lastSeq];
    const { reachesNewest } = this.#model;
    await this.#begin(() => pagesAgain(this.around.hub, this.conversationId, { first, last, reachesNewest }));
  }

  /** The hub can be reached again: reads what could not be read. */
  catchUp(): void {
    if (this.failed()) void this.reload();
    else if (this.#isStale) void this.refresh();
    else if (this.#isBehind) void this.#fill();
  }

  /** Takes what an event changes. */
  take(change: Change): void {
    this.#heard.add(change);
    this.#follow(this.#model.apply(change));
  }

  /** Takes a message as the hub has it now. */
  takeMessage(message: Message): void {
    this.#follow(this.#model.replace(message));
  }

  #follow(followed: Followed): void {
    if (followed.type === 'missing') void this.#fill();
    if (followed.type !== 'done') return;
    batch(() => {
      this.#messages.run(followed.id);
      this.#show();
    });
  }

  /** Settles when nothing is known to be missing, or it cannot be read now. */
  async whole(): Promise<void> {
    await this.#filling;
  }

  /** Reads what is missing behind the newest that is loaded. */
  #fill(): Promise<void> {
    this.#isBehind = true;
    this.#filling ??= this.#fillPages().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fillPages(): Promise<void> {
    try {
      while (this.#isBehind) await this.#heard.during(() => this.#fillPage());
    } catch {
      // It stays behind; the next event or connection tries again.
    }
  }

  async #fillPage(): Promise<void> {
    const life = this.#life;
    const take = await this.#pageAfter();
    if (life !== this.#life) return;
    this.#merge(() => {
      const page = take();
      this.#isBehind = !this.#model.reachesNewest;
      return page;
    });
  }

  async #pageAfter(): Promise<Take> {
    const wish = { since: this.#model.lastSeq, limit: PAGE_ITEMS_MAX };
    const page = await this.around.hub.history(this.conversationId, wish);
    return () => {
      this.#model.append(page.items, !page.next);
      return page.items;
    };
  }

  /** Begins anew with a piece of the history. Whoever waits for an earlier one waits for this one too. */
  #begin(read: () => Promise<Piece | undefined>): Promise<void> {
    this.#life += 1;
    this.#failed[1](undefined);
    this.#loading[1](this.size === 0);
    const life = this.#life;
    const beginning = { read, isReading: false, end: Promise.resolve() };
    beginning.end = this.#run(beginning, () => life === this.#life);
    this.#beginning = beginning;
    return beginning.end;
  }

  async #run(beginning: Beginning, isLast: () => boolean): Promise<void> {
    try {
      await this.around.ready();
      if (isLast()) await this.#heard.during(() => this.#readPiece(beginning, isLast));
    } catch (thrown) {
      if (isLast()) this.#noteFailure(toRefusal(thrown));
    }
    if (!isLast()) return this.#beginning?.end;
    this.#beginning = undefined;
    this.#loading[1](false);
  }

  async #readPiece(beginning: Beginning, isLast: () => boolean): Promise<void> {
    beginning.isReading = true;
    const piece = await beginning.read();
    if (!piece || !isLast()) return;
    this.#isStale = false;
    this.#isBehind = false;
    this.#merge(() => {
      this.#model.reset(piece.messages, piece);
      this.#messages.runAll();
      return [];
    });
  }

  /** What is loaded stays on the screen; it is read again when the hub can be reached. */
  #noteFailure(refusal: Refusal): void {
    if (this.size > 0) this.#isStale = true;
    else this.#failed[1](refusal);
  }

  async #extend(end: 'older' | 'newer', read: () => Promise<Take>): Promise<void> {
    const [state, setState] = this.#ends[end];
    if (state() === 'loading' || this.size === 0) return;
    const life = this.#life;
    setState('loading');
    try {
      await this.#heard.during(async () => {
        const take = await read();
        if (life === this.#life) this.#merge(take);
      });
    } catch {
      if (life === this.#life) setState('failed');
    }
  }

  /** Takes a page, then again what was heard while it was on its way. */
  #merge(take: Take): void {
    batch(() => {
      for (const { id } of take()) this.#messages.run(id);
      for (const change of this.#heard.all()) this.#follow(this.#model.apply(change));
      this.#messages.prune(2 * TIMELINE_MESSAGES_MAX, (id) => this.#model.get(id) !== undefined);
      this.#show();
      this.#ends.older[1](this.#model.reachesOldest ? 'reached' : 'more');
      this.#ends.newer[1](this.#model.reachesNewest ? 'reached' : 'more');
    });
  }

  #show(): void {
    this.#loaded[1](this.#model.ids);
  }

  #allIds(): readonly string[] {
    const loaded = this.#loaded[0]();
    const isAtEnd = this.newer() === 'reached' || this.loading();
    const waiting = isAtEnd ? this.around.outbox().filter((one) => one.conversationId === this.conversationId) : [];
    const behind = waiting.filter((one) => !this.#model.get(one.id)).map((one) => one.id);
    return behind.length > 0 ? [...loaded, ...behind] : loaded;
  }
}

/** Takes a page and answers the messages of it. */
type Take = () => readonly Message[];

interface Beginning {
  readonly read: () => Promise<Piece | undefined>;
  isReading: boolean;
  end: Promise<void>;
}

/** A piece of the history, oldest first, and whether it reaches the ends. */
export interface Piece {
  readonly messages: readonly Message[];
  readonly newest: boolean;
  readonly oldest: boolean;
}

function areSame(one: readonly string[] | undefined, other: readonly string[] | undefined): boolean {
  return one === other || (one?.length === other?.length && !!one?.every((id, index) => id === other?.[index]));
}
