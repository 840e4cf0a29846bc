import { beforeEach, describe, expect, it } from 'vitest';
import { lastLocation, rememberLocation } from './last_location';

describe('the last location', () => {
  beforeEach(() => localStorage.clear());

  it('survives reloads, overall and for each project', () => {
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_a' });
    rememberLocation({ projectId: 'prj_2', conversationId: 'chn_b' });
    rememberLocation({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastLocation()).toEqual({ projectId: 'prj_1', conversationId: 'chn_c' });
    expect(lastLocation('prj_2')?.conversationId).toBe('chn_b');
    expect(lastLocation('prj_3')).toBeUndefined();
  });

  it('is undefined when the stored value cannot be parsed', () => {
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
