import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unreachable } from '../../api/refusal';
import { MARK_EVERY_MS, ReadMarks } from './read_marks';

describe('read marks', () => {
  let markedIds: string[];
  let isThere: boolean;
  let newest: number;
  let tries: number;
  let marks: ReadMarks;
  beforeEach(() => {
    vi.useFakeTimers();
    [markedIds, isThere, newest, tries] = [[], true, 100, 0];
    marks = new ReadMarks({
      find: (_, seq) => ({ id: `msg_${Math.min(seq, newest)}`, seq: Math.min(seq, newest) }),
      readSeq: () => 3,
      mark: async (id) => {
        tries += 1;
        if (!isThere) throw unreachable();
        markedIds.push(id);
      },
    });
  });
  afterEach(() => {
    marks.clear();
    vi.useRealTimers();
  });

  it('are sent at once, then at most once per interval', async () => {
    for (const seq of [4, 5, 6, 5]) marks.note('chn_1', seq);
    expect(markedIds).toEqual(['msg_4']);
    await vi.advanceTimersByTimeAsync(MARK_EVERY_MS);
    expect(markedIds).toEqual(['msg_4', 'msg_6']);
    await vi.advanceTimersByTimeAsync(10 * MARK_EVERY_MS);
    expect([markedIds.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it('are not sent for positions that the hub has', async () => {
    marks.note('chn_1', 3);
    marks.note('chn_1', 4);
    await vi.advanceTimersByTimeAsync(MARK_EVERY_MS);
    marks.note('chn_1', 4);
    expect(markedIds).toEqual(['msg_4']);
  });

  it('are of one conversation each', () => {
    marks.note('chn_1', 4);
    marks.note('chn_2', 9);
    expect(markedIds).toEqual(['msg_4', 'msg_9']);
  });

  it('name the newest message that is loaded', () => {
    newest = 7;
    marks.note('chn_1', 20);
    expect(markedIds).toEqual(['msg_7']);
  });

  it('are sent again when the hub was unreachable', async () => {
    isThere = false;
    marks.note('chn_1', 8);
    await vi.advanceTimersByTimeAsync(20 * MARK_EVERY_MS);
    marks.note('chn_1', 8);
    expect(tries).toBe(1);
    isThere = true;
    marks.retry();
    expect(markedIds).toEqual(['msg_8']);
  });
});
