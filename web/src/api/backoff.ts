/** How long to wait before the next try: twice as long each time, up to a limit, and never all clients at once. */

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Tries to connect again. */
export const RECONNECT: Backoff = { firstMs: 500, maxMs: 30_000 };

/** The wait before a try, counted from 1. `random` is in 0…1: half of the wait is left to chance. */
export function waitBefore(attempt: number, { firstMs, maxMs }: Backoff, random: number): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + (full / 2) * random);
}
