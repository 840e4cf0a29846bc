/** Something asked of the hub that may be asked otherwise at any moment: only the answer to the last wish counts. */
import { type Accessor, createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { type Refusal, toRefusal } from '../../../api/refusal';

/** Sliders and fields send many wishes: the hub hears of one when they rest. */
export const REST_MS = 250;
/** What comes together is asked about together. */
export const NEWS_REST_MS = 1_000;
/** However much happens, the hub is not asked by itself more often than this. */
export const NEWS_EVERY_MS = 5_000;

export interface RequestResult<Wish, Answer> {
  /** What it is an answer to: the wish may be another one by now. */
  readonly wish: Wish;
  readonly answer: Answer;
  /** When it was asked for (ms since 1970). */
  readonly at: number;
}

export interface LatestRequest<Wish, Answer> {
  /** The last answer about the same thing; it stays in sight while another one comes, and when another one was refused. */
  readonly answered: Accessor<RequestResult<Wish, Answer> | undefined>;
  readonly answer: Accessor<Answer | undefined>;
  /** Why there is none, to the last wish. */
  readonly refusal: Accessor<Refusal | undefined>;
  /** Whether the last wish has no answer yet. */
  readonly isAsking: Accessor<boolean>;
  /** Whether something has happened since the answer was asked for. */
  readonly isOutdated: Accessor<boolean>;
  again(): void;
  /** Something has happened that may change the answer: asks again in a while. */
  note(): void;
}

export interface LatestRequestOptions<Wish> {
  /** What it is about. An answer about something else is never in sight. */
  readonly of?: Accessor<string>;
  /** Whether a wish differs from the one before only by what has happened, not by what somebody chose. */
  isNews?(before: Wish, now: Wish): boolean;
}

/**
 * Asks at once at first, later when the wish has rested, and after news at the most every few seconds. An undefined wish
 * asks nothing. A request whose wish has changed is broken off.
 */
export function createLatestRequest<Wish, Answer>(
  wish: Accessor<Wish | undefined>,
  ask: (wish: Wish, stop: AbortSignal) => Promise<Answer>,
  { of = () => '', isNews = () => false }: LatestRequestOptions<Wish> = {},
): LatestRequest<Wish, Answer> {
  type Settled = { of: string; answered?: RequestResult<Wish, Answer>; refusal?: Refusal };
  const [settled, setSettled] = createSignal<Settled>();
  const [isAsking, setAsking] = createSignal(false);
  const [isOutdated, setOutdated] = createSignal(false);
  let last: Wish | undefined;
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
  const send = async (now: Wish) => {
    breakOff();
    news.cover();
    const [own, about, at] = [new AbortController(), of(), Date.now()];
    request = own;
    setAsking(true);
    const next = await ask(now, own.signal).then(
      (answer): Settled => ({ of: about, answered: { wish: now, answer, at } }),
      (thrown): Settled => ({ of: about, ...keptOf(mine()), refusal: toRefusal(thrown) }),
    );
    if (own.signal.aborted) return;
    request = undefined;
    setSettled(next);
    setAsking(false);
    setOutdated(news.isWaiting());
  };
  /** The wish as it is when its time has come: it may have been changed by news while it waited. */
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
    on(wish, (now) => {
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
      else timer = setTimeout(again, REST_MS);
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

function keptOf<LastPack>(settled: { answered?: LastPack } | undefined): { answered?: LastPack } {
  return settled?.answered ? { answered: settled.answered } : {};
}

/** Lets news wait: for others that come with it, for a request that is on its way, and for somebody to look at the page. */
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
      if (isBusy()) return wait(NEWS_REST_MS);
      // Kept: `timer` says that something waits, until somebody looks.
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
      if (timer === undefined) wait(Math.max(NEWS_REST_MS, askedAt + NEWS_EVERY_MS - Date.now()));
    },
    isWaiting: () => timer !== undefined,
    /** What is asked now covers all that has happened. */
    cover(): void {
      end();
      askedAt = Date.now();
    },
  };
}
