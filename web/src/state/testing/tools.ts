/** Tools for tests of the state: shared storage, seeded random numbers, deferred promises. */
import type { Storage } from '../storage';

/** Storage that several tabs share; each is notified of writes by the others. */
export function sharedStorage(): { tab(): Storage; readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  const tabs: { prefix: string; tab: object; onChange: (key: string, value: unknown) => void }[] = [];
  const tab = (): Storage => {
    const self = {};
    const tell = (key: string) => {
      const text = kept.get(key);
      for (const one of tabs) {
        if (one.tab !== self && key.startsWith(one.prefix)) one.onChange(key, text && JSON.parse(text));
      }
    };
    return {
      get: (key) => JSON.parse(kept.get(key) ?? 'null') ?? undefined,
      set(key, value) {
        kept.set(key, JSON.stringify(value));
        tell(key);
        return true;
      },
      remove(key) {
        if (kept.delete(key)) tell(key);
      },
      keys: (prefix) => [...kept.keys()].filter((key) => key.startsWith(prefix)),
      listen(prefix, onChange) {
        const one = { prefix, tab: self, onChange };
        tabs.push(one);
        return () => void tabs.splice(tabs.indexOf(one), 1);
      },
    };
  };
  return { tab, kept };
}

/** Deterministic random numbers in 0…1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A promise that is settled from outside. */
export function deferred<Value>() {
  let resolve: (value: Value) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<Value>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Runs pending microtasks. */
export async function flushMicrotasks(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}
