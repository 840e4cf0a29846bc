import { describe, expect, it } from 'vitest';
import { recordDepartures } from './last_seen';

const here = (...ids: string[]) => new Map(ids.map((id) => [id, true]));

describe('members that left', () => {
  it('are recorded with the time, and removed when they return', () => {
    const gone = recordDepartures(new Map(), here('agt_a', 'agt_b'), here('agt_b'), 7);
    expect([...gone]).toEqual([['agt_a', 7]]);
    expect(recordDepartures(gone, here('agt_b'), here('agt_a', 'agt_b'), 9).size).toBe(0);
  });

  it('keep the first time while they are offline', () => {
    const gone = recordDepartures(new Map(), here('agt_a'), here(), 7);
    expect(recordDepartures(gone, here(), here(), 9).get('agt_a')).toBe(7);
  });

  it('are limited: the oldest entries are dropped', () => {
    const crowd = here(...Array.from({ length: 600 }, (_, index) => `agt_${index}`));
    const gone = recordDepartures(new Map([['agt_old', 1]]), crowd, here(), 7);
    expect(gone.size).toBe(500);
    expect(gone.has('agt_old')).toBe(false);
  });
});
