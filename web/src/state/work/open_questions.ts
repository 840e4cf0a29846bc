/** Open questions to the reader in all projects: loaded at the start and after changes. */
import { batch, createSignal, untrack } from 'solid-js';
import type { LogEvent } from '../../api/events';
import type { OpenQuestion } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import type { WorkRequests } from '../../api/work_requests';
import type { Questions } from '../contract';

/** Page size, and maximum number of pages. */
export const QUESTIONS_PAGE = 50;
export const PAGES_MAX = 20;
/** Debounce time for events. */
export const READ_AFTER_MS = 300;
/** Polling interval for changes without events, while the page is visible. */
export const READ_EVERY_MS = 30_000;

export interface OpenQuestionsParts {
  readonly requests: Pick<WorkRequests, 'questions'>;
  memberId(): string | undefined;
}

export class OpenQuestions {
  readonly #items = createSignal<readonly OpenQuestion[]>([]);
  readonly #state = createSignal<Pick<Questions, 'state' | 'hasMore' | 'refusal'>>({
    state: 'loading',
    hasMore: false,
  });
  #pages = 1;
  #reading: Promise<void> | undefined;
  /** An event arrived while loading. */
  #isOld = false;
  /** Counts restarts: results of earlier requests are dropped. */
  #generation = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #ending = new AbortController();

  constructor(private readonly parts: OpenQuestionsParts) {}

  /** A signal. */
  all = (): Questions => ({ ...this.#state[0](), items: this.#items[0]() });

  /** Loads the questions, and again while the page is visible. */
  begin(): void {
    const { signal } = this.#ending;
    const onVisible = () => isPageVisible() && void this.read();
    addEventListener('focus', onVisible, { signal });
    document.addEventListener('visibilitychange', onVisible, { signal });
    const every = setInterval(onVisible, READ_EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(every));
    void this.read();
  }

  end(): void {
    this.clear();
    this.#ending.abort();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#generation += 1;
    this.#pages = 1;
    this.#reading = undefined;
    batch(() => {
      this.#items[1]([]);
      this.#state[1]({ state: 'loading', hasMore: false });
    });
  }

  async read(): Promise<void> {
    if (this.parts.memberId() === undefined) return;
    this.#isOld = this.#reading !== undefined;
    this.#reading ??= this.#readAll(this.#generation);
    await this.#reading;
  }

  async readMore(): Promise<void> {
    if (!untrack(this.#state[0]).hasMore || this.#pages >= PAGES_MAX) return;
    this.#pages += 1;
    await this.read();
  }

  take(event: LogEvent): void {
    if (event.name === 'messaging.question') this.#takeQuestion(event.data.message_id, event.data.question);
    if (this.#isAbout(event)) this.readSoon();
  }

  #takeQuestion(messageId: string, question: NonNullable<OpenQuestion['message']['question']>): void {
    const isOver = question.state !== 'open' || question.ignored_by?.includes(this.parts.memberId() ?? '');
    if (isOver) this.drop(messageId);
    if (isOver || !this.#has(messageId)) return;
    const changed = (one: OpenQuestion) =>
      one.message.id === messageId ? { ...one, message: { ...one.message, question } } : one;
    this.#items[1]((items) => items.map(changed));
  }

  /** The question was answered or closed. */
  drop(messageId: string): void {
    if (this.#has(messageId)) this.#items[1]((items) => items.filter((one) => one.message.id !== messageId));
    this.readSoon();
  }

  readSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, READ_AFTER_MS);
  }

  #isAbout(event: LogEvent): boolean {
    switch (event.name) {
      case 'messaging.posted':
        return event.data.blocking;
      case 'messaging.question':
        return true;
      case 'messaging.edited':
      case 'messaging.removed':
        return this.#has(event.data.id);
      case 'runs.paused':
      case 'runs.resumed':
      case 'runs.ended':
        return untrack(this.#items[0]).length > 0;
      default:
        return false;
    }
  }

  #has(messageId: string): boolean {
    return untrack(this.#items[0]).some((one) => one.message.id === messageId);
  }

  async #readAll(generation: number): Promise<void> {
    do {
      this.#isOld = false;
      const found = await readPages(this.parts.requests, this.#pages).catch((thrown) => toRefusal(thrown));
      if (generation !== this.#generation) return;
      this.#show(found);
    } while (this.#isOld);
    this.#reading = undefined;
  }

  /** Loaded questions stay when they cannot be loaded again. */
  #show(found: QuestionPages | Refusal): void {
    batch(() => {
      if ('items' in found) {
        this.#items[1]((before) => keepSame(before, found.items));
        this.#state[1]({ state: 'ready', hasMore: found.hasMore && this.#pages < PAGES_MAX });
      } else if (untrack(this.#state[0]).state !== 'ready') {
        this.#state[1]({ state: 'failed', hasMore: false, refusal: found });
      }
    });
  }
}

interface QuestionPages {
  readonly items: readonly OpenQuestion[];
  readonly hasMore: boolean;
}

async function readPages(requests: OpenQuestionsParts['requests'], count: number): Promise<QuestionPages> {
  const items: OpenQuestion[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < count; page += 1) {
    const { items: more, next } = await requests.questions({ limit: QUESTIONS_PAGE, ...(cursor ? { cursor } : {}) });
    items.push(...more);
    cursor = next ?? undefined;
    if (!cursor) break;
  }
  return { items, hasMore: cursor !== undefined };
}

/** Unchanged questions stay the same objects, so their cards keep what was typed. */
function keepSame(before: readonly OpenQuestion[], now: readonly OpenQuestion[]): readonly OpenQuestion[] {
  const known = new Map(before.map((one) => [one.message.id, one]));
  const kept = now.map((one) => {
    const same = known.get(one.message.id);
    return same && JSON.stringify(same) === JSON.stringify(one) ? same : one;
  });
  const isSame = kept.length === before.length && kept.every((one, index) => one === before[index]);
  return isSame ? before : kept;
}

function isPageVisible(): boolean {
  return document.visibilityState === 'visible';
}
