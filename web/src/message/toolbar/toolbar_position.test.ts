import { expect, test } from 'vitest';
import { placeToolbar } from './toolbar_position';

const row = { left: 100, top: 50, width: 600 };
const size = { width: 200, height: 30 };
const bubble = (left: number, width: number) => ({ left: 100 + left, top: 80, width });

test('it is beside a short bubble, on its free side', () => {
  expect(placeToolbar(bubble(40, 300), row, size, 'start')).toEqual({ left: 348, top: 30 });
  expect(placeToolbar(bubble(300, 260), row, size, 'end')).toEqual({ left: 92, top: 30 });
});

test('it is above a long bubble, at its end', () => {
  expect(placeToolbar(bubble(40, 500), row, size, 'start')).toEqual({ left: 340, top: 5 });
  expect(placeToolbar(bubble(150, 410), row, size, 'end')).toEqual({ left: 150, top: 5 });
});

test('it never leaves the row', () => {
  expect(placeToolbar(bubble(500, 100), row, { ...size, width: 560 }, 'end').left).toBe(40);
  expect(placeToolbar(bubble(0, 100), { ...row, width: 150 }, size, 'start').left).toBe(0);
});
