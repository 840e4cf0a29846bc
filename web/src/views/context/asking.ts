/** Something asked of the hub that may be asked otherwise at any moment: only the answer to the last wish counts. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { type Refusal, toRefusal } from '../../api/refusal';

/** Sliders and fields send many wishes: the hub hears of one when they rest. */
export const REST_MS = 250;

export interface Asking<Answer> {
  /** The last answer; it stays in sight while another one comes, and when another one was refused. */
  readonly answer: Accessor<Answer | undefined>;
  /** Why there is none, to the last wish. */
  readonly refusal: Accessor<Refusal | undefined>;
  /** Whether the last wish has no answer yet. */
  readonly isAsking: Accessor<boolean>;
  again(): void;
}

/**
 * Asks at once at first, and later when the wish has rested. An undefined wish asks nothing. A request whose wish has
 * changed is broken off.
 */
export function createAsking<Wish, Answer>(
  wish: Accessor<Wish | undefined>,
  ask: (wish: Wish, stop: AbortSignal) => Promise<Answer>,
): Asking<Answer> {
  const [answer, setAnswer] = createSignal<Answer>();
  const [refusal, setRefusal] = createSignal<Refusal>();
  const [isAsking, setAsking] = createSignal(false);
  let last: Wish | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let request = new AbortController();
  const breakOff = () => {
    clearTimeout(timer);
    request.abort();
  };
  const send = async (now: Wish) => {
    breakOff();
    const mine = new AbortController();
    request = mine;
    setAsking(true);
    try {
      const found = await ask(now, mine.signal);
      if (mine.signal.aborted) return;
      setAnswer(() => found);
      setRefusal(undefined);
    } catch (thrown) {
      if (!mine.signal.aborted) setRefusal(toRefusal(thrown));
    } finally {
      if (!mine.signal.aborted) setAsking(false);
    }
  };
  createEffect(
    on(wish, (now) => {
      breakOff();
      if (now === undefined) return;
      const isFirst = last === undefined;
      last = now;
      setAsking(true);
      if (isFirst) void send(now);
      else timer = setTimeout(() => void send(now), REST_MS);
    }),
  );
  onCleanup(breakOff);
  return {
    answer,
    refusal,
    isAsking,
    again: () => {
      if (last !== undefined) void send(last);
    },
  };
}
