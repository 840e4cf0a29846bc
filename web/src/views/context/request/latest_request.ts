/** A request whose input may change at any time: only the result of the last input counts. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { type Refusal, toRefusal } from '../../../api/refusal';

/** Debounce time for sliders and fields. */
export const INPUT_DEBOUNCE_MS = 250;
/** Debounce time for events. */
export const EVENT_DEBOUNCE_MS = 1_000;
/** Minimum interval between requests caused by events. */
export const EVENT_REQUEST_INTERVAL_MS = 5_000;

export interface RequestResult<Input, Answer> {
  /** The input of the result; the current input may be another one. */
  readonly input: Input;
  readonly answer: Answer;
  /** Time of the request (ms since 1970). */
  readonly at: number;
}

export interface LatestRequest<Input, Answer> {
  /** The last result about the same subject; it stays visible while the next one loads or when that is refused. */
  readonly answered: Accessor<RequestResult<Input, Answer> | undefined>;
  readonly answer: Accessor<Answer | undefined>;
  /** Why the last request failed. */
  readonly refusal: Accessor<Refusal | undefined>;
  /** Whether the last request is pending. */
  readonly isAsking: Accessor<boolean>;
  /** Whether something has happened since the request. */
  readonly isOutdated: Accessor<boolean>;
  again(): void;
  /** Something happened that may change the result: requests again after a while. */
  note(): void;
}

export interface LatestRequestOptions<Input> {
  /** The subject. A result about another subject is never shown. */
  readonly of?: Accessor<string>;
  /** Whether two inputs differ only by events, not by a choice of the reader. */
  isNews?(before: Input, now: Input): boolean;
}

/**
 * The first request is sent at once, later ones after a pause, and those caused by events every few seconds at most. An
 * undefined input requests nothing. A request with an outdated input is aborted.
 */
export function createLatestRequest<Input, Answer>(
  input: Accessor<Input | undefined>,
  ask: (input: Input, stop: AbortSignal) => Promise<Answer>,
  { of = () => '', isNews = () => false }: LatestRequestOptions<Input> = {},
): LatestRequest<Input, Answer> {
  type Settled = { of: string; answered?: RequestResult<Input, Answer>; refusal?: Refusal };
  const [settled, setSettled] = createSignal<Settled>();
  const [isAsking, setAsking] = createSignal(false);
  const [isOutdated, setOutdated] = createSignal(false);
  let last: Input | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request: AbortController | undefined;
  const breakOff = () => {
    clearTimeout(timer);
    request?.abort();
    request = undefined;
  };
  const mine = () => {
    const now = settled();
    return now?.of === of() ? now : undefined;
  };
  const send = async (now: Input) => {
    breakOff();
    news.cover();
    const [own, about, at] = [new AbortController(), of(), Date.now()];
    request = own;
    setAsking(true);
    const next = await ask(now, own.signal).then(
      (answer): Settled => ({ of: about, answered: { input: now, answer, at } }),
      (thrown): Settled => ({ of: about, ...answeredOf(mine()), refusal: toRefusal(thrown) }),
    );
    if (own.signal.aborted) return;
    request = undefined;
    setSettled(next);
    setAsking(false);
    setOutdated(news.isWaiting());
  };
  /** Uses the current input: it may have changed while waiting. */
  const again = () => {
    if (last !== undefined) void send(last);
  };
  const news = createNews(() => request !== undefined, again);
  const note = () => {
    if (last === undefined) return;
    setOutdated(true);
    news.note();
  };
  createEffect(
    on(input, (now) => {
      const before = last;
      if (now !== undefined && before !== undefined && isNews(before, now)) {
        last = now;
        return note();
      }
      breakOff();
      setAsking(now !== undefined);
      last = now;
      if (now === undefined) return;
      if (before === undefined) void send(now);
      else timer = setTimeout(again, INPUT_DEBOUNCE_MS);
    }),
  );
  onCleanup(breakOff);
  const answered = createMemo(() => mine()?.answered);
  return {
    answered,
    answer: () => answered()?.answer,
    refusal: () => mine()?.refusal,
    isAsking,
    isOutdated,
    again,
    note,
  };
}

function answeredOf<LastPack>(settled: { answered?: LastPack } | undefined): { answered?: LastPack } {
  return settled?.answered ? { answered: settled.answered } : {};
}

/**
 * Delays requests caused by events: until others have arrived, a running request has ended, and the page is visible.
 */
function createNews(isBusy: () => boolean, ask: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let askedAt = 0;
  const listening = new AbortController();
  const end = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      if (isBusy()) return wait(EVENT_DEBOUNCE_MS);
      // `timer` stays set, so that the request follows when the page is visible.
      if (document.visibilityState !== 'hidden') ask();
    }, ms);
  };
  const onSight = () => {
    if (timer === undefined || document.visibilityState === 'hidden') return;
    end();
    wait(0);
  };
  document.addEventListener('visibilitychange', onSight, { signal: listening.signal });
  onCleanup(() => {
    end();
    listening.abort();
  });
  return {
    note(): void {
      if (timer === undefined) wait(Math.max(EVENT_DEBOUNCE_MS, askedAt + EVENT_REQUEST_INTERVAL_MS - Date.now()));
    },
    isWaiting: () => timer !== undefined,
    /** A request that starts now covers all events so far. */
    cover(): void {
      end();
      askedAt = Date.now();
    },
  };
}
