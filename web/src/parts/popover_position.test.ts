import { expect, test } from 'vitest';
import { positionBeside } from './popover_position';

const VIEW = { width: 400, height: 600 };
const SIZE = { width: 200, height: 150 };

test('a list opens below, on one line with the start of its button', () => {
  const place = positionBeside({ left: 40, top: 100, width: 30, height: 30 }, SIZE, VIEW, 'start');
  expect(place).toMatchObject({ left: 40, top: 134 });
});

test('a list on one line with the end of its button ends where that ends', () => {
  const place = positionBeside({ left: 300, top: 100, width: 30, height: 30 }, SIZE, VIEW, 'end');
  expect(place.left + SIZE.width).toBe(330);
});

test('a list opens above where there is no room below', () => {
  const place = positionBeside({ left: 40, top: 550, width: 30, height: 30 }, SIZE, VIEW, 'start');
  expect(place.top + SIZE.height).toBe(546);
});

test('a list that fits nowhere takes the larger side and scrolls', () => {
  const place = positionBeside(
    { left: 40, top: 200, width: 30, height: 30 },
    { width: 200, height: 900 },
    VIEW,
    'start',
  );
  expect(place.top).toBe(234);
  expect(place.top + place.heightMax).toBeLessThanOrEqual(VIEW.height);
});

test('a list never leaves the window, wherever its button stands', () => {
  for (const left of [-50, 0, 180, 370, 500]) {
    for (const top of [0, 290, 580]) {
      for (const align of ['start', 'end'] as const) {
        const place = positionBeside({ left, top, width: 30, height: 30 }, SIZE, VIEW, align);
        expect(place.left).toBeGreaterThanOrEqual(0);
        expect(place.left + SIZE.width).toBeLessThanOrEqual(VIEW.width);
        expect(place.top + Math.min(SIZE.height, place.heightMax)).toBeLessThanOrEqual(VIEW.height);
      }
    }
  }
});
