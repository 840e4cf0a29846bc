import { expect, test } from 'vitest';
import { durationText, runningText } from './duration';

test.each([
  [0, '0 ms'],
  [94.4, '94 ms'],
  [96, '0.1 s'],
  [412, '0.4 s'],
  [4_200, '4.2 s'],
  [9_949, '9.9 s'],
  [9_960, '10 s'],
  [59_700, '1 min'],
  [65_000, '1 min 5 s'],
  [3_599_900, '1 h'],
  [3_725_000, '1 h 2 min'],
  [86_400_000, '1 d'],
  [100_000_000, '1 d 3 h'],
  [-5, '0 ms'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});

test('a running time counts whole seconds', () => {
  expect([0, 999, 12_400, 61_000, -1].map(runningText)).toEqual(['0 s', '0 s', '12 s', '1 min 1 s', '0 s']);
});
