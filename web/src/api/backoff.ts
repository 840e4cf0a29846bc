/** Exponential backoff with a maximum and jitter. */

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

export const RECONNECT: Backoff = { firstMs: 500, maxMs: 30_000 };

/** Returns the wait before an attempt, counted from 1. `random` is in 0…1; half of the wait is random. */
export function waitBefore(attempt: number, { firstMs, maxMs }: Backoff, random: number): number {
  const full = Math.min(maxMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(full / 2 + (full / 2) * random);
}
