import { afterEach, describe, expect, it, vi } from 'vitest';
import { browserStorage } from './storage';

describe("the browser's store", () => {
  const storage = browserStorage();
  afterEach(() => {
    vi.unstubAllGlobals();
    localStorage.clear();
  });

  it('keeps values, and finds their keys', () => {
    expect(storage.set('parlour.a', { x: 1 })).toBe(true);
    storage.set('other', 1);
    expect([storage.get('parlour.a'), storage.keys('parlour.')]).toEqual([{ x: 1 }, ['parlour.a']]);
    storage.remove('parlour.a');
    expect([storage.get('parlour.a'), storage.keys('parlour.')]).toEqual([undefined, []]);
  });

  it('is empty for values that are not JSON', () => {
    localStorage.setItem('parlour.a', '{');
    expect(storage.get('parlour.a')).toBeUndefined();
  });

  it('works without storage when the browser forbids it', () => {
    const refuse = () => {
      throw new DOMException('forbidden', 'SecurityError');
    };
    vi.stubGlobal('localStorage', new Proxy({}, { get: refuse, ownKeys: refuse }));
    expect([storage.set('a', 1), storage.get('a'), storage.keys('')]).toEqual([false, undefined, []]);
  });

  it('reports changes of other tabs, until it is stopped', () => {
    const calls: unknown[] = [];
    const stop = storage.listen('parlour.', (key, value) => calls.push([key, value]));
    const say = (key: string, newValue: string | null) => dispatchEvent(new StorageEvent('storage', { key, newValue }));
    say('parlour.a', '3');
    say('other', '4');
    say('parlour.a', null);
    stop();
    say('parlour.a', '5');
    expect(calls).toEqual([
      ['parlour.a', 3],
      ['parlour.a', undefined],
    ]);
  });
});
