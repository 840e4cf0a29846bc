import { createRoot } from 'solid-js';
import { beforeEach, describe, expect, it } from 'vitest';
import { RECORDS_MAX, REQUESTS_MAX, RecordCache } from './record_cache';
import { deferred, turns } from './testing/tools';

describe('a shelf', () => {
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

  it('reads a thing when somebody first looks, and once', async () => {
    expect(look('a')).toBeUndefined();
    look('a');
    await turns();
    waiting[0]?.resolve('one');
    await turns();
    expect([look('a'), asked]).toEqual(['one', ['a']]);
  });

  it('loads the last requested records first, a few at a time', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) look(id);
    await turns();
    expect(asked).toEqual(['f', 'e', 'd', 'c'].slice(0, REQUESTS_MAX));
    waiting[0]?.resolve('x');
    await turns();
    expect(asked.at(-1)).toBe('b');
  });

  it('loads again what changed while it was loading', async () => {
    look('a');
    await turns();
    cache.change('a', () => 'heard');
    waiting[0]?.resolve('old');
    await turns();
    expect(asked).toEqual(['a', 'a']);
    waiting[1]?.resolve('new');
    await turns();
    expect(cache.peek('a')).toBe('new');
  });

  it('shows what it has until what is stale was read again', async () => {
    cache.put('a', 'one');
    cache.refresh('a');
    expect([look('a'), asked]).toEqual(['one', []]);
    await turns();
    expect(asked).toEqual(['a']);
    waiting[0]?.reject(new Error('no way'));
    await turns();
    expect(cache.peek('a')).toBe('one');
  });

  it('keeps only so many', () => {
    for (let index = 0; index <= RECORDS_MAX; index += 1) cache.put(`${index}`, 'x');
    expect([cache.peek('0'), cache.peek('1')]).toEqual([undefined, 'x']);
  });

  it('asks again for what is marked, and for nothing else', async () => {
    cache.put('a', 'mine');
    cache.put('b', 'other');
    cache.refreshWhere((value) => value === 'mine');
    look('a');
    look('b');
    await turns();
    expect(asked).toEqual(['a']);
  });
});
