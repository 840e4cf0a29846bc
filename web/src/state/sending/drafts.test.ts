import { createEffect, createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Draft, EMPTY_DRAFT } from '../contract';
import { sharedStorage } from '../testing/tools';
import { DRAFTS_CHARS_MAX, DRAFTS_MAX, Drafts, isEmpty, WRITE_EVERY_MS } from './drafts';

const draft = (text: string, more: Partial<Draft> = {}): Draft => ({ ...EMPTY_DRAFT, text, ...more });

describe('drafts', () => {
  let shared: ReturnType<typeof sharedStorage>;
  let drafts: Drafts;
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 });
    shared = sharedStorage();
    drafts = new Drafts(shared.tab(), 'per_1', () => true);
  });
  afterEach(() => {
    drafts.close();
    vi.useRealTimers();
  });

  it('are of one conversation and one member, and there after a reload', () => {
    drafts.set('chn_1', draft('half a', { importance: 'high', replyTo: 'msg_1' }));
    drafts.write();
    expect(new Drafts(shared.tab(), 'per_1').get('chn_1')).toEqual(
      draft('half a', { importance: 'high', replyTo: 'msg_1' }),
    );
    expect(drafts.get('chn_2')).toEqual(EMPTY_DRAFT);
    expect(new Drafts(shared.tab(), 'per_2').get('chn_1')).toEqual(EMPTY_DRAFT);
  });

  it('are written at most so often, and when the page is left', () => {
    drafts.set('chn_1', draft('h'));
    drafts.set('chn_1', draft('ha'));
    expect(shared.kept.size).toBe(0);
    vi.advanceTimersByTime(WRITE_EVERY_MS);
    expect([...shared.kept.values()][0]).toContain('"ha"');
    drafts.set('chn_1', draft('hal'));
    dispatchEvent(new Event('pagehide'));
    expect([...shared.kept.values()][0]).toContain('"hal"');
  });

  it('are not stored when empty', () => {
    drafts.set('chn_1', draft('x'));
    drafts.write();
    drafts.set('chn_1', EMPTY_DRAFT);
    drafts.write();
    expect(shared.kept.size).toBe(0);
    expect([isEmpty(draft('', { blocking: true })), isEmpty(EMPTY_DRAFT)]).toEqual([false, true]);
  });

  it('run their readers, and no others', () => {
    const runs = { one: 0, two: 0 };
    const dispose = createRoot((end) => {
      createEffect(() => {
        drafts.get('chn_1');
        runs.one += 1;
      });
      createEffect(() => {
        drafts.get('chn_2');
        runs.two += 1;
      });
      return end;
    });
    drafts.set('chn_1', draft('x'));
    expect(runs).toEqual({ one: 2, two: 1 });
    dispose();
  });

  it('are synchronised to tabs where nobody types', () => {
    const idle = new Drafts(shared.tab(), 'per_1', () => false);
    drafts.set('chn_1', draft('typed here'));
    drafts.write();
    expect(idle.get('chn_1').text).toBe('typed here');
    idle.set('chn_1', draft('typed there'));
    idle.write();
    expect(drafts.get('chn_1').text).toBe('typed here');
    drafts.set('chn_1', EMPTY_DRAFT);
    drafts.write();
    expect(idle.get('chn_1')).toEqual(EMPTY_DRAFT);
  });

  it('drop the oldest when there are too many or too long ones', () => {
    for (let index = 0; index <= DRAFTS_MAX; index += 1) {
      vi.advanceTimersByTime(1);
      drafts.set(`chn_${index}`, draft('x'));
    }
    expect([drafts.get('chn_0').text, drafts.get('chn_1').text]).toEqual(['', 'x']);
    drafts.set('chn_long', draft('x'.repeat(DRAFTS_CHARS_MAX)));
    drafts.write();
    expect(drafts.get(`chn_${DRAFTS_MAX}`).text).toBe('');
    expect(shared.kept.size).toBe(1);
  });

  it('ignore stored values of other formats', () => {
    shared.kept.set('parlour.draft.per_1.chn_9', '{"at": 1, "draft": {"text": 7}}');
    expect(new Drafts(shared.tab(), 'per_1').get('chn_9')).toEqual(EMPTY_DRAFT);
  });
});
