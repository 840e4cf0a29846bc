import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakeStore } from '../state/testing/fixtures';
import { createTypingNotices } from './typing_notices';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function typing() {
  const store = fakeStore();
  const note = createTypingNotices(store);
  return { note, notices: () => store.asked.map((one) => one.with[0]) };
}

it('is sent at the first letter and then once in three seconds', () => {
  const { note, notices } = typing();
  note('chn_1', 'a');
  vi.advanceTimersByTime(2_999);
  note('chn_1', 'ab');
  expect(notices()).toEqual(['chn_1']);
  vi.advanceTimersByTime(1);
  note('chn_1', 'abc');
  expect(notices()).toEqual(['chn_1', 'chn_1']);
});

it('is sent at once in another conversation', () => {
  const { note, notices } = typing();
  note('chn_1', 'a');
  note('chn_2', 'a');
  expect(notices()).toEqual(['chn_1', 'chn_2']);
});

it('is not sent for an empty field or a command', () => {
  const { note, notices } = typing();
  note('chn_1', '');
  note('chn_1', ' \n');
  note('chn_1', '/topic');
  expect(notices()).toEqual([]);
});
