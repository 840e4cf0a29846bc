import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LogEvent } from '../../api/events';
import type { OpenQuestion } from '../../api/model';
import { unreachable } from '../../api/refusal';
import { anOpenQuestion, aQuestion, aQuestionMessage, aRun } from '../testing/fixtures';
import { flushMicrotasks } from '../testing/tools';
import { OpenQuestions, READ_AFTER_MS, READ_EVERY_MS } from './open_questions';

const one = (id: string) => anOpenQuestion({ message: aQuestionMessage({}, { id }) });
const event = (change: object) => change as LogEvent;

describe('the list of open questions', () => {
  let open: OpenQuestion[];
  let reads: (string | undefined)[];
  let isThere: boolean;
  let pageMax: number;
  let openQuestions: OpenQuestions;
  beforeEach(() => {
    vi.useFakeTimers();
    [open, reads, isThere, pageMax] = [[one('msg_1'), one('msg_2')], [], true, 50];
    openQuestions = new OpenQuestions({
      memberId: () => 'per_mara',
      requests: {
        questions: async ({ cursor }) => {
          reads.push(cursor);
          if (!isThere) throw unreachable();
          const from = Number(cursor ?? 0);
          const items = structuredClone(open.slice(from, from + pageMax));
          return from + pageMax < open.length ? { items, next: `${from + pageMax}` } : { items };
        },
      },
    });
  });
  afterEach(() => {
    openQuestions.end();
    vi.useRealTimers();
  });
  const ids = () => openQuestions.all().items.map((item) => item.message.id);
  const begin = async () => {
    openQuestions.begin();
    await flushMicrotasks();
  };
  const mark = (id: string, question: object) =>
    event({ name: 'messaging.question', data: { message_id: id, conversation_id: 'chn_general', question } });

  it('is loaded at the start, and again while it is visible', async () => {
    expect(openQuestions.all().state).toBe('loading');
    await begin();
    expect([openQuestions.all().state, ids()]).toEqual(['ready', ['msg_1', 'msg_2']]);
    await vi.advanceTimersByTimeAsync(READ_EVERY_MS);
    expect(reads).toHaveLength(2);
    dispatchEvent(new Event('focus'));
    await flushMicrotasks();
    expect(reads).toHaveLength(3);
  });

  it('drops a question at once when it has ended, or the reader will not answer', async () => {
    await begin();
    openQuestions.take(mark('msg_1', aQuestion({ state: 'answered' })));
    openQuestions.take(mark('msg_2', aQuestion({ ignored_by: ['per_mara'] })));
    expect(ids()).toEqual([]);
  });

  it('shows what changed of an open one, and reads once for many events', async () => {
    await begin();
    openQuestions.take(
      mark('msg_1', aQuestion({ addressees: ['per_mara', 'per_tobias'], ignored_by: ['per_tobias'] })),
    );
    expect(openQuestions.all().items[0]?.message.question?.ignored_by).toEqual(['per_tobias']);
    for (let index = 0; index < 5; index += 1) openQuestions.take(event({ name: 'runs.paused', data: aRun() }));
    await vi.advanceTimersByTimeAsync(READ_AFTER_MS);
    expect(reads).toHaveLength(2);
  });

  it('is read after a blocking message, and not after any other', async () => {
    await begin();
    openQuestions.take(event({ name: 'messaging.posted', data: { ...aQuestionMessage(), blocking: false } }));
    await vi.advanceTimersByTimeAsync(READ_AFTER_MS);
    expect(reads).toHaveLength(1);
    open.push(one('msg_3'));
    openQuestions.take(event({ name: 'messaging.posted', data: aQuestionMessage() }));
    await vi.advanceTimersByTimeAsync(READ_AFTER_MS);
    expect(ids()).toContain('msg_3');
  });

  it('keeps the objects of questions that are as they were', async () => {
    await begin();
    const [before] = openQuestions.all().items;
    open.push(one('msg_3'));
    await openQuestions.read();
    expect(openQuestions.all().items[0]).toBe(before);
  });

  it('shows further pages on demand, and keeps them when it is read again', async () => {
    pageMax = 1;
    await begin();
    expect([ids(), openQuestions.all().hasMore]).toEqual([['msg_1'], true]);
    await openQuestions.readMore();
    expect([ids(), openQuestions.all().hasMore]).toEqual([['msg_1', 'msg_2'], false]);
    await openQuestions.read();
    expect(ids()).toEqual(['msg_1', 'msg_2']);
  });

  it('reports that it could not be loaded, but keeps the last result', async () => {
    isThere = false;
    await begin();
    expect(openQuestions.all()).toMatchObject({ state: 'failed', refusal: { code: 'UNREACHABLE' } });
    isThere = true;
    await openQuestions.read();
    isThere = false;
    await openQuestions.read();
    expect([openQuestions.all().state, ids().length]).toEqual(['ready', 2]);
  });

  it('shows no data of one reader to the next', async () => {
    openQuestions.begin();
    openQuestions.clear();
    await flushMicrotasks();
    expect(openQuestions.all()).toEqual({ state: 'loading', hasMore: false, items: [] });
  });
});
