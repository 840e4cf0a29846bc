/** A claim that becomes true after a while, as long as the component stands: for what shall not flash. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';

/** Waits shorter than this are not worth a sign. */
export const PATIENCE_MS = 300;

export function afterDelay(ms: number = PATIENCE_MS): Accessor<boolean> {
  const [isTime, setTime] = createSignal(false);
  const timer = setTimeout(() => setTime(true), ms);
  onCleanup(() => clearTimeout(timer));
  return isTime;
}
