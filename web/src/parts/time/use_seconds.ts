/** A clock in seconds. All users share one timer, which stops without users. */
import { type Accessor, createRoot, createSignal, onCleanup } from 'solid-js';

const SECOND_MS = 1_000;
const [now, setNow] = createRoot(() => createSignal(0));
let readers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the time (ms since 1970), updated every second while the caller is mounted. */
export function useSeconds(): Accessor<number> {
  setNow(Date.now());
  readers += 1;
  timer ??= setInterval(() => setNow(Date.now()), SECOND_MS);
  onCleanup(() => {
    readers -= 1;
    if (readers > 0) return;
    clearInterval(timer);
    timer = undefined;
  });
  return now;
}
