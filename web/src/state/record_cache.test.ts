import { createRoot } from 'solid-js';
import { beforeEach, describe, expect, it } from 'vitest';
import { RECORDS_MAX, REQUESTS_MAX, RecordCache } from './record_cache';
import { deferred, flushMicrotasks } from './testing/tools';

describe('the record cache', () => {
  let asked: string[];
  let waiting: ReturnType<typeof deferred<string | undefined>>[];
  let cache: RecordCache<string>;
  beforeEach(() => {
    [asked, waiting] = [[], []];
    cache = new RecordCache((id) => {
      asked.push(id);
      const answer = deferred<string | undefined>();
      waiting.push(answer);
      return answer.promise;
    });
  });
  /** Reads without tracking: signals are tested with the components. */
  const look = (id: string) => createRoot((end) => [cache.get(id), end()][0]);

  it('loads a record on first use, once', async () => {
    expect(look('a')).toBeUndefined();
    look('a');
    await flushMicrotasks();
    waiting[0]?.resolve('one');
    await flushMicrotasks();
    expect([look('a'), asked]).toEqual(['one', ['a']]);
  });

  it('loads the last requested records first, a few at a time', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) look(id);
    await flushMicrotasks();
    expect(asked).toEqual(['f', 'e', 'd', 'c'].slice(0, REQUESTS_MAX));
    waiting[0]?.resolve('x');
    await flushMicrotasks();
    expect(asked.at(-1)).toBe('b');
  });

  it('loads again what changed while it was loading', async () => {
    look('a');
    await flushMicrotasks();
    cache.change('a', () => 'heard');
    waiting[0]?.resolve('old');
    await flushMicrotasks();
    expect(asked).toEqual(['a', 'a']);
    waiting[1]?.resolve('new');
    await flushMicrotasks();
    expect(cache.peek('a')).toBe('new');
  });

  it('shows stale records until they are loaded again', async () => {
    cache.put('a', 'one');
    cache.refresh('a');
    expect([look('a'), asked]).toEqual(['one', []]);
    await flushMicrotasks();
    expect(asked).toEqual(['a']);
    waiting[0]?.reject(new Error('no way'));
    await flushMicrotasks();
    expect(cache.peek('a')).toBe('one');
  });

  it('keeps a limited number of records', () => {
    for (let index = 0; index <= RECORDS_MAX; index += 1) cache.put(`${index}`, 'x');
    expect([cache.peek('0'), cache.peek('1')]).toEqual([undefined, 'x']);
  });

  it('reloads only marked records', async () => {
    cache.put('a', 'mine');
    cache.put('b', 'other');
    cache.refreshWhere((value) => value === 'mine');
    look('a');
    look('b');
    await flushMicrotasks();
    expect(asked).toEqual(['a']);
  });
});
