import { afterEach, expect, test, vi } from 'vitest';
import { giveFocus, takesFocus } from './focus';

const ends: (() => void)[] = [];
const taker = (region: 'sidebar' | 'composer', place: string) => {
  const take = vi.fn();
  ends.push(takesFocus(region, place, take));
  return take;
};

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test('the newest of several takes the focus', () => {
  const [older, newer] = [taker('composer', 'chn_1'), taker('composer', 'thr_1')];
  expect(giveFocus('composer')).toBe(true);
  expect(newer).toHaveBeenCalledOnce();
  expect(older).not.toHaveBeenCalled();
});

test('a place tells two of a kind apart', () => {
  const [channel, thread] = [taker('composer', 'chn_1'), taker('composer', 'thr_1')];
  giveFocus('composer', 'chn_1');
  expect(channel).toHaveBeenCalledOnce();
  expect(thread).not.toHaveBeenCalled();
});

test('whoever has ended takes nothing', () => {
  taker('composer', 'chn_1');
  ends.pop()?.();
  expect(giveFocus('composer')).toBe(false);
});
