import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TYPING_VALID_MS, TypingState } from './typing';

const typing = (conversation_id: string, ...members: string[]) => ({ conversation_id, members, project_id: 'prj_1' });

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('a typing notice expires, and is extended when it is repeated', () => {
  const book = new TypingState();
  book.note(typing('chn_1', 'per_1'));
  vi.advanceTimersByTime(TYPING_VALID_MS / 2);
  book.note(typing('chn_1', 'per_2'));
  expect([book.in('chn_1'), book.in('chn_2')]).toEqual([['per_1', 'per_2'], []]);
  vi.advanceTimersByTime(TYPING_VALID_MS / 2);
  expect(book.in('chn_1')).toEqual(['per_2']);
  book.note(typing('chn_1', 'per_2'));
  vi.advanceTimersByTime(TYPING_VALID_MS - 1);
  expect(book.in('chn_1')).toEqual(['per_2']);
  vi.advanceTimersByTime(1);
  expect([book.in('chn_1'), vi.getTimerCount()]).toEqual([[], 0]);
});

it('a member who posted is no longer typing', () => {
  const book = new TypingState();
  book.note(typing('chn_1', 'per_1', 'per_2'));
  book.end('chn_1', 'per_1');
  expect(book.in('chn_1')).toEqual(['per_2']);
  book.clear();
  expect(book.in('chn_1')).toEqual([]);
});
