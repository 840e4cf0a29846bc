import { describe, expect, it } from 'vitest';
import { connectionText } from './connection_text';

describe('the connection in words', () => {
  it('shows whether it is connected or connecting', () => {
    expect(connectionText({ state: 'live' }, 0)).toEqual({ text: 'Connected', tone: 'ok', canTryNow: false });
    expect(connectionText({ state: 'connecting' }, 0).text).toBe('Connecting…');
  });

  it('counts down to the next try', () => {
    const waiting = { state: 'waiting', attempt: 3, retryAt: 10_000 } as const;
    expect(connectionText(waiting, 2_000).text).toBe('Reconnecting, try 3 in 8 s');
    expect(connectionText(waiting, 9_001).text).toBe('Reconnecting, try 3 in 1 s');
  });

  it('never counts below zero', () => {
    const words = connectionText({ state: 'waiting', attempt: 3, retryAt: 10_000 }, 12_000);
    expect(words).toEqual({ text: 'Reconnecting, try 3 now', tone: 'wait', canTryNow: false });
  });

  it('offers a retry while the browser reports no network', () => {
    expect(connectionText({ state: 'offline' }, 0)).toEqual({ text: 'Offline', tone: 'off', canTryNow: true });
  });
});
