import { beforeEach, describe, expect, it } from 'vitest';
import { lastPlace, rememberPlace } from './last_location';

describe('the last place', () => {
  beforeEach(() => localStorage.clear());

  it('is there over reloads, on the whole and for each project', () => {
    rememberPlace({ projectId: 'prj_1', conversationId: 'chn_a' });
    rememberPlace({ projectId: 'prj_2', conversationId: 'chn_b' });
    rememberPlace({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastPlace()).toEqual({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastPlace('prj_2')?.conversationId).toBe('chn_b');
    expect(lastPlace('prj_3')).toBeUndefined();
  });

  it('is nowhere when what was kept cannot be read', () => {
    localStorage.setItem('parlour.last', '{"projectId"');
    expect(lastPlace()).toBeUndefined();
    localStorage.setItem('parlour.last', '[null, 3, {"projectId": "prj_1"}]');
    expect(lastPlace()).toBeUndefined();
  });

  it('is kept for a bounded number of projects', () => {
    for (let index = 0; index < 60; index += 1) rememberPlace({ projectId: `prj_${index}`, conversationId: 'chn_a' });
    expect(lastPlace('prj_9')).toBeUndefined();
    expect(lastPlace('prj_10')).toBeDefined();
  });
});
