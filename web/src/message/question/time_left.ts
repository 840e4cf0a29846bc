/** Formats the remaining time: minutes, and seconds at the end. Pure. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Returns "2 days 4 h", "1 h 5 min", "11 min", "42 s"; undefined when the time is over. */
export function timeLeft(ms: number): string | undefined {
  if (ms <= 0) return undefined;
  if (ms < MINUTE_MS) return `${Math.ceil(ms / SECOND_MS)} s`;
  const days = Math.floor(ms / DAY_MS);
  const hours = Math.floor((ms % DAY_MS) / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
  if (days > 0) return joined(days === 1 ? '1 day' : `${days} days`, hours > 0 ? `${hours} h` : '');
  return hours > 0 ? joined(`${hours} h`, minutes > 0 ? `${minutes} min` : '') : `${minutes} min`;
}

/** Returns the milliseconds until the text changes. */
export function changesIn(ms: number): number {
  return ms >= MINUTE_MS ? (ms % MINUTE_MS) + 1 : ms % SECOND_MS || SECOND_MS;
}

function joined(one: string, other: string): string {
  return other === '' ? one : `${one} ${other}`;
}
