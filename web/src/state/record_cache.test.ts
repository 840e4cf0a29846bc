import { createRoot } from 'solid-js';
import { beforeEach, describe, expect, it } from 'vitest';
import { RECORDS_MAX, REQUESTS_MAX, RecordCache } from './record_cache';
import { deferred, turns } from './testing/tools';

describe('a shelf', () => {
  let asked: string[];
  let waiting: ReturnType<typeof deferred<string | undefined>>[];
  let shelf: RecordCache<string>;
  beforeEach(() => {
    [asked, waiting] = [[], []];
    shelf = new RecordCache((id) => {
      asked.push(id);
      const answer = deferred<string | undefined>();
      waiting.push(answer);
      return answer.promise;
    });
  });
  /** Looks without following: signals are tried with the components. */
  const look = (id: string) => createRoot((end) => [shelf.get(id), end()][0]);

  it('reads a thing when somebody first looks, and once', async () => {
    expect(look('a')).toBeUndefined();
    look('a');
    await turns();
    waiting[0]?.resolve('one');
    await turns();
    expect([look('a'), asked]).toEqual(['one', ['a']]);
  });

  it('reads those first that were wished for last, a few at a time', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) look(id);
    await turns();
    expect(asked).toEqual(['f', 'e', 'd', 'c'].slice(0, REQUESTS_MAX));
    waiting[0]?.resolve('x');
    await turns();
    expect(asked.at(-1)).toBe('b');
  });

  it('reads again what changed while it was on its way', async () => {
    look('a');
    await turns();
    shelf.change('a', () => 'heard');
    waiting[0]?.resolve('old');
    await turns();
    expect(asked).toEqual(['a', 'a']);
    waiting[1]?.resolve('new');
    await turns();
    expect(shelf.peek('a')).toBe('new');
  });

  it('shows what it has until what is stale was read again', async () => {
    shelf.put('a', 'one');
    shelf.refresh('a');
    expect([look('a'), asked]).toEqual(['one', []]);
    await turns();
    expect(asked).toEqual(['a']);
    waiting[0]?.reject(new Error('no way'));
    await turns();
    expect(shelf.peek('a')).toBe('one');
  });

  it('keeps only so many', () => {
    for (let index = 0; index <= RECORDS_MAX; index += 1) shelf.put(`${index}`, 'x');
    expect([shelf.peek('0'), shelf.peek('1')]).toEqual([undefined, 'x']);
  });

  it('asks again for what is marked, and for nothing else', async () => {
    shelf.put('a', 'mine');
    shelf.put('b', 'other');
    shelf.refreshWhere((value) => value === 'mine');
    look('a');
    look('b');
    await turns();
    expect(asked).toEqual(['a']);
  });
});
