import { describe, expect, it } from 'vitest';
import { RECONNECT, waitBefore } from './backoff';

describe('the wait before a try', () => {
  it('doubles up to the limit', () => {
    const waits = [1, 2, 3, 20, 10_000].map((attempt) => waitBefore(attempt, RECONNECT, 1));
    expect(waits).toEqual([500, 1_000, 2_000, 30_000, 30_000]);
  });

  it('is random between half and all of it', () => {
    expect([0, 0.5, 1].map((random) => waitBefore(3, RECONNECT, random))).toEqual([1_000, 1_500, 2_000]);
  });
});
