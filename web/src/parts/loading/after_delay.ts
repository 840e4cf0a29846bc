/** A signal that becomes true after a delay, for indicators that should not flash. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** Shorter waits show no indicator. */
export const DEFAULT_DELAY_MS = 300;

export function afterDelay(ms: number = DEFAULT_DELAY_MS): Accessor<boolean> {
  const [isTime, setTime] = createSignal(false);
  const timer = setTimeout(() => setTime(true), ms);
  onCleanup(() => clearTimeout(timer));
  return isTime;
}
