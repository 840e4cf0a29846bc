/**
 * Loads the pages of one conversation into its messages, and keeps them whole: nothing is lost, doubled or out of place,
 * whatever arrives first. It knows no components; `onChange` says what they must read again.
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
  /** Settles when events are followed: a page that was read before would miss what happened in between. */
  ready(): Promise<unknown>;
  /** These messages have changed; `all` when everything may have. */
  onChange(changed: readonly string[] | 'all'): void;
}

/** Takes a page and answers the ids of its messages. */
type Take = () => readonly string[] | 'all';

interface PendingRead {
  readonly read: () => Promise<HistoryPart | undefined>;
  isReading: boolean;
  end: Promise<void>;
}

export class MessageLoader {
  readonly #isLoading = createSignal(true);
  readonly #failed = createSignal<Refusal | undefined>();
  readonly #ends = { older: createSignal<End>('more'), newer: createSignal<End>('more') };
  readonly #heard = new EventBuffer();
  /** Counts the times that it began anew: answers to earlier wishes are dropped. */
  #life = 0;
  /** The piece that is on its way. */
  #beginning: PendingRead | undefined;
  #filling: Promise<void> | undefined;
  /** Messages are known to be missing behind the newest that is loaded. */
  #isBehind = false;
  /** What is loaded was to be read again, and could not. */
  #isStale = false;

  constructor(
    private readonly model: LoadedMessages,
    private readonly parts: MessageLoaderParts,
  ) {
    // A view that wants an older place says so at once, and then the newest are not asked for.
    queueMicrotask(() => this.#life === 0 && void this.reload());
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

  /** Begins anew around a message. One that is not here leaves what was loaded as it was. */
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

  /** Reads again what is loaded, or on its way: events may have been missed. */
  async refresh(): Promise<void> {
    const { read, isReading } = this.#beginning ?? {};
    if (read) return isReading ? this.#begin(read) : undefined;
    if (this.model.ids.length === 0) return this.reload();
    const { firstSeq: first = 1, lastSeq: last, reachesNewest, conversationId } = this.model;
    await this.#begin(() => pagesAgain(this.parts.hub, conversationId, { first, last, reachesNewest }));
  }

  /** The hub can be reached again: reads what could not be read. */
  catchUp(): void {
    if (untrack(this.failed)) void this.reload();
    else if (this.#isStale) void this.refresh();
    else if (this.#isBehind) void this.#fill();
  }

  /** Settles when nothing is known to be missing, or it cannot be read now. */
  async whole(): Promise<void> {
    await this.#filling;
  }

  /** Takes what an event changes. */
  take(change: Change): void {
    this.#heard.add(change);
    this.#follow(this.model.apply(change));
  }

  /** Takes a message as the hub has it now. */
  takeMessage(message: Message): void {
    this.#follow(this.model.replace(message));
  }

  #follow(followed: ApplyResult): void {
    if (followed.type === 'missing') void this.#fill();
    if (followed.type === 'done') this.parts.onChange([followed.id]);
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
      const ids = take();
      this.#isBehind = !this.model.reachesNewest;
      return ids;
    });
  }

  async #pageAfter(): Promise<Take> {
    const wish = { since: this.model.lastSeq, limit: PAGE_ITEMS_MAX };
    const page = await this.parts.hub.history(this.model.conversationId, wish);
    return () => {
      this.model.append(page.items, !page.next);
      return idsOf(page.items);
    };
  }

  /** Begins anew with a piece of the history. Whoever waits for an earlier one waits for this one too. */
  #begin(read: PendingRead['read']): Promise<void> {
    this.#life += 1;
    this.#failed[1](undefined);
    this.#isLoading[1](this.model.ids.length === 0);
    const life = this.#life;
    const beginning: PendingRead = { read, isReading: false, end: Promise.resolve() };
    beginning.end = this.#run(beginning, () => life === this.#life);
    this.#beginning = beginning;
    return beginning.end;
  }

  async #run(beginning: PendingRead, isLast: () => boolean): Promise<void> {
    try {
      await this.parts.ready();
      if (isLast()) await this.#heard.during(() => this.#readPiece(beginning, isLast));
    } catch (thrown) {
      if (isLast()) this.#noteFailure(toRefusal(thrown));
    }
    if (!isLast()) return this.#beginning?.end;
    this.#beginning = undefined;
    this.#isLoading[1](false);
  }

  async #readPiece(beginning: PendingRead, isLast: () => boolean): Promise<void> {
    beginning.isReading = true;
    const piece = await beginning.read();
    if (!piece || !isLast()) return;
    this.#isStale = false;
    this.#isBehind = false;
    this.#merge(() => {
      this.model.reset(piece.messages, piece);
      return 'all';
    });
  }

  /** What is loaded stays on the screen; it is read again when the hub can be reached. */
  #noteFailure(refusal: Refusal): void {
    if (this.model.ids.length > 0) this.#isStale = true;
    else this.#failed[1](refusal);
  }

  async #extend(end: 'older' | 'newer', read: () => Promise<Take>): Promise<void> {
    const [state, setState] = this.#ends[end];
    if (untrack(state) === 'loading' || this.model.ids.length === 0) return;
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
    if (this.#heard.hasLost) queueMicrotask(() => void this.refresh());
    batch(() => {
      this.parts.onChange(take());
      for (const change of this.#heard.all()) this.#follow(this.model.apply(change));
      this.#ends.older[1](this.model.reachesOldest ? 'reached' : 'more');
      this.#ends.newer[1](this.model.reachesNewest ? 'reached' : 'more');
    });
  }
}

function idsOf(page: readonly Message[]): readonly string[] {
  return page.map((message) => message.id);
}
