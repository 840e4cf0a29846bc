import { describe, expect, it } from 'vitest';
import { noteLeavers } from './last_seen';

const here = (...ids: string[]) => new Map(ids.map((id) => [id, true]));

describe('who left', () => {
  it('is noted with the time, and forgotten when it is back', () => {
    const gone = noteLeavers(new Map(), here('agt_a', 'agt_b'), here('agt_b'), 7);
    expect([...gone]).toEqual([['agt_a', 7]]);
    expect(noteLeavers(gone, here('agt_b'), here('agt_a', 'agt_b'), 9).size).toBe(0);
  });

  it('keeps the first time while it stays away', () => {
    const gone = noteLeavers(new Map(), here('agt_a'), here(), 7);
    expect(noteLeavers(gone, here(), here(), 9).get('agt_a')).toBe(7);
  });

  it('is bounded: the oldest entries are dropped', () => {
    const crowd = here(...Array.from({ length: 600 }, (_, index) => `agt_${index}`));
    const gone = noteLeavers(new Map([['agt_old', 1]]), crowd, here(), 7);
    expect(gone.size).toBe(500);
    expect(gone.has('agt_old')).toBe(false);
  });
});
