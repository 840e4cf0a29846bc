import { beforeEach, describe, expect, it } from 'vitest';
import { lastLocation, rememberLocation } from './last_location';

describe('the last place', () => {
  beforeEach(() => localStorage.clear());

  it('is there over reloads, on the whole and for each project', () => {
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_a' });
    rememberLocation({ projectId: 'prj_2', conversationId: 'chn_b' });
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastLocation()).toEqual({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastLocation('prj_2')?.conversationId).toBe('chn_b');
    expect(lastLocation('prj_3')).toBeUndefined();
  });

  it('is nowhere when what was kept cannot be read', () => {
    localStorage.setItem('parlour.last', '{"projectId"');
    expect(lastLocation()).toBeUndefined();
    localStorage.setItem('parlour.last', '[null, 3, {"projectId": "prj_1"}]');
    expect(lastLocation()).toBeUndefined();
  });

  it('is kept for a bounded number of projects', () => {
    for (let index = 0; index < 60; index += 1)
      rememberLocation({ projectId: `prj_${index}`, conversationId: 'chn_a' });
    expect(lastLocation('prj_9')).toBeUndefined();
    expect(lastLocation('prj_10')).toBeDefined();
  });
});
