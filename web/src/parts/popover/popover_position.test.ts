import { expect, test } from 'vitest';
import { positionBeside } from './popover_position';

const VIEW = { width: 400, height: 600 };
const SIZE = { width: 200, height: 150 };

test('a list opens below, on one line with the start of its button', () => {
  const position = positionBeside({ left: 40, top: 100, width: 30, height: 30 }, SIZE, VIEW, 'start');
  expect(position).toMatchObject({ left: 40, top: 134 });
});

test('a list on one line with the end of its button ends where that ends', () => {
  const position = positionBeside({ left: 300, top: 100, width: 30, height: 30 }, SIZE, VIEW, 'end');
  expect(position.left + SIZE.width).toBe(330);
});

test('a list opens above where there is no room below', () => {
  const position = positionBeside({ left: 40, top: 550, width: 30, height: 30 }, SIZE, VIEW, 'start');
  expect(position.top + SIZE.height).toBe(546);
});

test('a list that fits nowhere takes the larger side and scrolls', () => {
  const position = positionBeside(
    { left: 40, top: 200, width: 30, height: 30 },
    { width: 200, height: 900 },
    VIEW,
    'start',
  );
  expect(position.top).toBe(234);
  expect(position.top + position.heightMax).toBeLessThanOrEqual(VIEW.height);
});

test('a popover never leaves the window, wherever its anchor is', () => {
  for (const left of [-50, 0, 180, 370, 500]) {
    for (const top of [0, 290, 580]) {
      for (const align of ['start', 'end'] as const) {
        const position = positionBeside({ left, top, width: 30, height: 30 }, SIZE, VIEW, align);
        expect(position.left).toBeGreaterThanOrEqual(0);
        expect(position.left + SIZE.width).toBeLessThanOrEqual(VIEW.width);
        expect(position.top + Math.min(SIZE.height, position.heightMax)).toBeLessThanOrEqual(VIEW.height);
      }
    }
  }
});
