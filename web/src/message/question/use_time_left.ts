/** The remaining time as a signal; it updates when the text changes, not every second. */
import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import { changesIn, timeLeft } from './time_left';

/** Browser timers are limited to 2^31 milliseconds. */
const WAIT_MS_MAX = 86_400_000;

export function useTimeLeft(until: Accessor<string>): Accessor<string | undefined> {
  const left = () => Date.parse(until()) - Date.now();
  const [words, setWords] = createSignal(timeLeft(left()));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const count = () => {
    const ms = left();
    setWords(timeLeft(ms));
    clearTimeout(timer);
    if (ms > 0) timer = setTimeout(count, Math.min(changesIn(ms), WAIT_MS_MAX));
  };
  createEffect(on(until, count));
  onCleanup(() => clearTimeout(timer));
  return words;
}
