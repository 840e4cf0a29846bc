/** The time in seconds for the few rows that show it running. One timer for all of them, and none when there are none. */
import { type Accessor, createRoot, createSignal, onCleanup } from 'solid-js';

const SECOND_MS = 1_000;
const [now, setNow] = createRoot(() => createSignal(0));
let readers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time (ms since 1970), anew each second while the caller lives. */
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
