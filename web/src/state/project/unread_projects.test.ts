import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { flushMicrotasks } from '../testing/tools';
import { RELOAD_DEBOUNCE_MS, UnreadProjects } from './unread_projects';

describe('what is unread in other projects', () => {
  let asked: string[];
  let total: number;
  let unread: UnreadProjects;
  beforeEach(() => {
    vi.useFakeTimers();
    [asked, total] = [[], 2];
    unread = new UnreadProjects({
      unread: async (project_id) => {
        asked.push(project_id);
        if (project_id === 'prj_lost') throw new Error('no');
        return { project_id, total, mentions: 1, conversations: [] };
      },
    });
  });
  afterEach(() => vi.useRealTimers());

  it('is asked once, and again when something happens there', async () => {
    unread.watch(['prj_1', 'prj_lost']);
    await flushMicrotasks();
    expect(unread.all()).toEqual(new Map([['prj_1', { messages: 2, mentions: 1 }]]));
    total = 5;
    for (let index = 0; index < 10; index += 1) unread.note('prj_1');
    unread.note('prj_other');
    await vi.advanceTimersByTimeAsync(RELOAD_DEBOUNCE_MS);
    expect([asked, unread.all().get('prj_1')?.messages]).toEqual([['prj_1', 'prj_lost', 'prj_1'], 5]);
  });

  it('is not counted for the project that is open', async () => {
    unread.watch(['prj_1', 'prj_2']);
    await flushMicrotasks();
    unread.note('prj_2');
    unread.watch(['prj_1']);
    await vi.advanceTimersByTimeAsync(RELOAD_DEBOUNCE_MS);
    expect([[...unread.all().keys()], asked]).toEqual([['prj_1'], ['prj_1', 'prj_2']]);
  });

  it('is asked anew for all after a break', async () => {
    unread.watch(['prj_1', 'prj_2']);
    await flushMicrotasks();
    unread.noteAll();
    await vi.advanceTimersByTimeAsync(RELOAD_DEBOUNCE_MS);
    expect(asked).toEqual(['prj_1', 'prj_2', 'prj_1', 'prj_2']);
  });
});
