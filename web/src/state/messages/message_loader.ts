/**
 * Loads pages of one conversation and merges them with events: nothing is lost, duplicated or out of order. `onChange`
 * reports changed messages.
 */
import { batch, createSignal, untrack } from 'solid-js';
import type { Change } from '../../api/events';
import { type Hub, PAGE_ITEMS_MAX } from '../../api/hub';
import type { Message } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import type { End } from '../contract';
import { EventBuffer } from './event_buffer';
import { aroundMessage, type HistoryPart, newestPage, pagesAgain } from './history';
import type { ApplyResult, LoadedMessages } from './loaded_messages';

export interface MessageLoaderParts {
  readonly hub: Pick<Hub, 'history' | 'message'>;
  /** Resolves when events are being followed: an earlier page would miss events in between. */
  ready(): Promise<unknown>;
  /** Ids of the changed messages, or `all`. */
  onChange(changed: readonly string[] | 'all'): void;
}

/** Merges a page and returns the ids of its messages. */
type MergePage = () => readonly string[] | 'all';

interface PendingRead {
  readonly read: () => Promise<HistoryPart | undefined>;
  isReading: boolean;
  end: Promise<void>;
}

export class MessageLoader {
  readonly #isLoading = createSignal(true);
  readonly #failed = createSignal<Refusal | undefined>();
  readonly #ends = { older: createSignal<End>('more'), newer: createSignal<End>('more') };
  readonly #buffer = new EventBuffer();
  /** Counts restarts: results of earlier requests are dropped. */
  #generation = 0;
  #pendingRead: PendingRead | undefined;
  #filling: Promise<void> | undefined;
  /** Messages after the newest loaded one are missing. */
  #isBehind = false;
  /** The range should have been loaded again, but that failed. */
  #isStale = false;

  constructor(
    private readonly model: LoadedMessages,
    private readonly parts: MessageLoaderParts,
  ) {
    // A view that opens at an older message says so at once; then the newest are not requested.
    queueMicrotask(() => this.#generation === 0 && void this.reload());
  }

  isLoading = () => this.#isLoading[0]();
  failed = () => this.#failed[0]();
  older = () => this.#ends.older[0]();
  newer = () => this.#ends.newer[0]();

  reload(): Promise<void> {
    return this.#begin(() => newestPage(this.parts.hub, this.model.conversationId));
  }

  async loadNewest(): Promise<void> {
    if (!this.model.reachesNewest) await this.reload();
  }

  /** Restarts around a message. A missing message leaves the range as it is. */
  async loadAround(messageId: string): Promise<boolean> {
    if (this.model.get(messageId)) return true;
    await this.#begin(() => aroundMessage(this.parts.hub, this.model.conversationId, messageId));
    const isEmpty = this.model.ids.length === 0 && !untrack(this.failed);
    if (isEmpty && !this.model.reachesNewest) await this.reload();
    return this.model.get(messageId) !== undefined;
  }

  loadOlder(): Promise<void> {
    if (this.model.reachesOldest) return Promise.resolve();
    return this.#extend('older', async () => {
      const before = this.model.firstSeq;
      const page = await this.parts.hub.history(this.model.conversationId, { before, limit: PAGE_ITEMS_MAX });
      return () => {
        if (before === this.model.firstSeq) this.model.prepend(page.items.toReversed(), !page.next);
        return idsOf(page.items);
      };
    });
  }

  loadNewer(): Promise<void> {
    if (this.model.reachesNewest) return Promise.resolve();
    return this.#extend('newer', () => this.#pageAfter());
  }

  /** Loads the range again: events may have been missed. */
  async refresh(): Promise<void> {
    const { read, isReading } = this.#pendingRead ?? {};
    if (read) return isReading ? this.#begin(read) : undefined;
    if (this.model.ids.length === 0) return this.reload();
    const { firstSeq: first = 1, lastSeq: last, reachesNewest, conversationId } = this.model;
    await this.#begin(() => pagesAgain(this.parts.hub, conversationId, { first, last, reachesNewest }));
  }

  /** The hub can be reached again: retries what failed. */
  catchUp(): void {
    if (untrack(this.failed)) void this.reload();
    else if (this.#isStale) void this.refresh();
    else if (this.#isBehind) void this.#fill();
  }

  /** Resolves when no message is known to be missing, or when it cannot be loaded now. */
  async whole(): Promise<void> {
    await this.#filling;
  }

  take(change: Change): void {
    this.#buffer.add(change);
    this.#follow(this.model.apply(change));
  }

  takeMessage(message: Message): void {
    this.#follow(this.model.replace(message));
  }

  #follow(followed: ApplyResult): void {
    if (followed.type === 'missing') void this.#fill();
    if (followed.type === 'done') this.parts.onChange([followed.id]);
  }

  /** Loads the messages after the newest loaded one. */
  #fill(): Promise<void> {
    this.#isBehind = true;
    this.#filling ??= this.#fillPages().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  async #fillPages(): Promise<void> {
    try {
      while (this.#isBehind) await this.#buffer.during(() => this.#fillPage());
    } catch {
      // The next event or connection retries.
    }
  }

  async #fillPage(): Promise<void> {
    const generation = this.#generation;
    const take = await this.#pageAfter();
    if (generation !== this.#generation) return;
    this.#merge(() => {
      const ids = take();
      this.#isBehind = !this.model.reachesNewest;
      return ids;
    });
  }

  async #pageAfter(): Promise<MergePage> {
    const query = { since: this.model.lastSeq, limit: PAGE_ITEMS_MAX };
    const page = await this.parts.hub.history(this.model.conversationId, query);
    return () => {
      this.model.append(page.items, !page.next);
      return idsOf(page.items);
    };
  }

  /** Restarts with a range. Callers waiting for an earlier restart wait for this one too. */
  #begin(read: PendingRead['read']): Promise<void> {
    this.#generation += 1;
    this.#failed[1](undefined);
    this.#isLoading[1](this.model.ids.length === 0);
    const generation = this.#generation;
    const pendingRead: PendingRead = { read, isReading: false, end: Promise.resolve() };
    pendingRead.end = this.#run(pendingRead, () => generation === this.#generation);
    this.#pendingRead = pendingRead;
    return pendingRead.end;
  }

  async #run(pendingRead: PendingRead, isLast: () => boolean): Promise<void> {
    try {
      await this.parts.ready();
      if (isLast()) await this.#buffer.during(() => this.#readPart(pendingRead, isLast));
    } catch (thrown) {
      if (isLast()) this.#noteFailure(toRefusal(thrown));
    }
    if (!isLast()) return this.#pendingRead?.end;
    this.#pendingRead = undefined;
    this.#isLoading[1](false);
  }

  async #readPart(pendingRead: PendingRead, isLast: () => boolean): Promise<void> {
    pendingRead.isReading = true;
    const part = await pendingRead.read();
    if (!part || !isLast()) return;
    this.#isStale = false;
    this.#isBehind = false;
    this.#merge(() => {
      this.model.reset(part.messages, part);
      return 'all';
    });
  }

  /** Loaded messages stay visible and are loaded again later. */
  #noteFailure(refusal: Refusal): void {
    if (this.model.ids.length > 0) this.#isStale = true;
    else this.#failed[1](refusal);
  }

  async #extend(end: 'older' | 'newer', read: () => Promise<MergePage>): Promise<void> {
    const [state, setState] = this.#ends[end];
    if (untrack(state) === 'loading' || this.model.ids.length === 0) return;
    const generation = this.#generation;
    setState('loading');
    try {
      await this.#buffer.during(async () => {
        const take = await read();
        if (generation === this.#generation) this.#merge(take);
      });
    } catch {
      if (generation === this.#generation) setState('failed');
    }
  }

  /** Merges a page, then applies the events that arrived while it was loading. */
  #merge(take: MergePage): void {
    if (this.#buffer.hasLost) queueMicrotask(() => void this.refresh());
    batch(() => {
      this.parts.onChange(take());
      for (const change of this.#buffer.all()) this.#follow(this.model.apply(change));
      this.#ends.older[1](this.model.reachesOldest ? 'reached' : 'more');
      this.#ends.newer[1](this.model.reachesNewest ? 'reached' : 'more');
    });
  }
}

function idsOf(page: readonly Message[]): readonly string[] {
  return page.map((message) => message.id);
}
