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

test('the id distinguishes two regions of one kind', () => {
  const [channel, thread] = [taker('composer', 'chn_1'), taker('composer', 'thr_1')];
  giveFocus('composer', 'chn_1');
  expect(channel).toHaveBeenCalledOnce();
  expect(thread).not.toHaveBeenCalled();
});

test('nothing is applied after the end', () => {
  taker('composer', 'chn_1');
  ends.pop()?.();
  expect(giveFocus('composer')).toBe(false);
});

test('a region that is mounted later gets the focus, once', async () => {
  expect(giveFocus('composer', 'thr_late')).toBe(false);
  const [first, second] = [taker('composer', 'thr_late'), taker('composer', 'thr_late')];
  await Promise.resolve();
  expect(first).toHaveBeenCalledOnce();
  expect(second).not.toHaveBeenCalled();
});

test('the request is dropped when the focus moved elsewhere', async () => {
  giveFocus('composer', 'thr_left');
  taker('sidebar', 'sidebar');
  giveFocus('sidebar');
  const late = taker('composer', 'thr_left');
  await Promise.resolve();
  expect(late).not.toHaveBeenCalled();
});
