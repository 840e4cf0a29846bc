/** Something asked of the hub that may be asked otherwise at any moment: only the answer to the last wish counts. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { type Refusal, toRefusal } from '../../api/refusal';

/** Sliders and fields send many wishes: the hub hears of one when they rest. */
export const REST_MS = 250;

export interface Asking<Answer> {
  /** The last answer; it stays in sight while another one comes. */
  readonly answer: Accessor<Answer | undefined>;
  /** Why there is none, to the last wish. */
  readonly refusal: Accessor<Refusal | undefined>;
  readonly isAsking: Accessor<boolean>;
  again(): void;
}

/** Asks at once at first, and later when the wish has rested. An undefined wish asks nothing. */
export function createAsking<Wish, Answer>(
  wish: Accessor<Wish | undefined>,
  ask: (wish: Wish) => Promise<Answer>,
): Asking<Answer> {
  const [answer, setAnswer] = createSignal<Answer>();
  const [refusal, setRefusal] = createSignal<Refusal>();
  const [isAsking, setAsking] = createSignal(false);
  let turn = 0;
  let last: Wish | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = async (now: Wish) => {
    turn += 1;
    const mine = turn;
    setAsking(true);
    try {
      const found = await ask(now);
      if (mine !== turn) return;
      setAnswer(() => found);
      setRefusal(undefined);
    } catch (thrown) {
      if (mine === turn) setRefusal(toRefusal(thrown));
    } finally {
      if (mine === turn) setAsking(false);
    }
  };
  createEffect(
    on(wish, (now) => {
      clearTimeout(timer);
      if (now === undefined) return;
      const isFirst = last === undefined;
      last = now;
      if (isFirst) void send(now);
      else timer = setTimeout(() => void send(now), REST_MS);
    }),
  );
  onCleanup(() => {
    turn += 1;
    clearTimeout(timer);
  });
  return {
    answer,
    refusal,
    isAsking,
    again: () => {
      if (last !== undefined) void send(last);
    },
  };
}
