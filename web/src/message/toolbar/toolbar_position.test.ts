import { expect, test } from 'vitest';
import { placeToolbar } from './toolbar_position';

const row = { left: 100, top: 50, width: 600 };
const size = { width: 200, compactWidth: 120, height: 30 };
const bubble = (left: number, width: number) => ({ left: 100 + left, top: 80, width });

test('it is beside a short bubble, on its free side', () => {
  expect(placeToolbar(bubble(40, 300), row, size, 'start')).toEqual({ left: 348, top: 30, isCompact: false });
  expect(placeToolbar(bubble(300, 260), row, size, 'end')).toEqual({ left: 92, top: 30, isCompact: false });
});

test('it is compact where only that fits beside the bubble', () => {
  expect(placeToolbar(bubble(40, 420), row, size, 'start')).toEqual({ left: 468, top: 30, isCompact: true });
  expect(placeToolbar(bubble(150, 410), row, size, 'end')).toEqual({ left: 22, top: 30, isCompact: true });
});

test('it is above a long bubble, at its end', () => {
  expect(placeToolbar(bubble(40, 500), row, size, 'start')).toEqual({ left: 420, top: 5, isCompact: true });
  expect(placeToolbar(bubble(50, 510), row, size, 'end')).toEqual({ left: 50, top: 5, isCompact: true });
});

test('the width of a growing bubble does not matter', () => {
  const narrow = placeToolbar(bubble(40, 80), row, size, 'start', 'growing');
  expect(narrow).toEqual(placeToolbar(bubble(40, 560), row, size, 'start', 'growing'));
  expect(narrow).toMatchObject({ left: 480, top: 5 });
});

test('it never leaves the row', () => {
  const wide = { ...size, width: 580, compactWidth: 560 };
  expect(placeToolbar(bubble(500, 100), row, wide, 'end').left).toBe(40);
  expect(placeToolbar(bubble(0, 100), { ...row, width: 110 }, size, 'start').left).toBe(0);
});
