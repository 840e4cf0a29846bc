import { expect, test } from 'vitest';
import { changesIn, timeLeft } from './time_left';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

test.each([
  [7 * 24 * HOUR, '7 days'],
  [28 * HOUR, '1 day 4 h'],
  [24 * HOUR - 1, '23 h 59 min'],
  [2 * HOUR + 5 * MINUTE + 59_000, '2 h 5 min'],
  [HOUR, '1 h'],
  [11 * MINUTE + 42_000, '11 min'],
  [MINUTE, '1 min'],
  [MINUTE - 1, '60 s'],
  [41_500, '42 s'],
  [1, '1 s'],
])('%i ms are %s', (ms, words) => expect(timeLeft(ms)).toBe(words));

test('an elapsed time has no text', () => {
  expect([timeLeft(0), timeLeft(-5)]).toEqual([undefined, undefined]);
});

test.each([1, 500, 1_000, 59_999, 60_000, 61_000, 3_599_999])(
  'the text for %i ms changes at the announced time',
  (ms) => {
    const wait = changesIn(ms);
    expect(timeLeft(ms - wait + 1)).toBe(timeLeft(ms));
    expect(timeLeft(ms - wait)).not.toBe(timeLeft(ms));
  },
);
