import { afterEach, beforeEach, expect, test } from 'vitest';
import { listenForScrollInput, type ScrollDirection } from './scroll_input';

let viewport: HTMLElement;
let directions: ScrollDirection[];
let stop: () => void;

beforeEach(() => {
  viewport = document.createElement('div');
  document.body.append(viewport);
  directions = [];
  stop = listenForScrollInput(viewport, (direction) => directions.push(direction));
});

afterEach(() => {
  stop();
  viewport.remove();
});

function touch(name: string, ...ys: number[]): void {
  const event = new Event(name);
  Object.defineProperty(event, 'touches', { value: ys.map((clientY) => ({ clientY })) });
  viewport.dispatchEvent(event);
}

function press(key: string, more: KeyboardEventInit = {}, target: HTMLElement = viewport): void {
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, ...more }));
}

test('the wheel scrolls up and down, but not while it zooms', () => {
  viewport.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
  viewport.dispatchEvent(new WheelEvent('wheel', { deltaY: 3 }));
  viewport.dispatchEvent(Object.defineProperty(new WheelEvent('wheel', { deltaY: -1 }), 'ctrlKey', { value: true }));
  viewport.dispatchEvent(new WheelEvent('wheel', { deltaX: 9, deltaY: 0 }));
  expect(directions).toEqual(['up', 'down']);
});

test('a finger that moves down scrolls up, and a new touch begins anew', () => {
  touch('touchstart', 100);
  touch('touchmove', 103);
  touch('touchend');
  touch('touchstart', 50);
  touch('touchmove', 40);
  expect(directions).toEqual(['up', 'down']);
});

test('keys report directions, also Shift+Space', () => {
  for (const key of ['ArrowUp', 'PageUp', 'Home']) press(key);
  press(' ', { shiftKey: true });
  press('PageDown');
  press(' ');
  expect(directions).toEqual(['up', 'up', 'up', 'up', 'down', 'down']);
});

test('keys in a field or on a button report nothing', () => {
  const field = document.createElement('textarea');
  const button = document.createElement('button');
  viewport.append(field, button);
  press('ArrowUp', {}, field);
  press(' ', {}, button);
  expect(directions).toEqual([]);
});

test('a dragged scrollbar reports directions until it is released', () => {
  const press = new PointerEvent('pointerdown');
  Object.defineProperty(press, 'offsetX', { value: 1 });
  viewport.scrollTop = 100;
  viewport.dispatchEvent(press);
  viewport.scrollTop = 90;
  viewport.dispatchEvent(new Event('scroll'));
  document.dispatchEvent(new Event('pointerup'));
  viewport.scrollTop = 20;
  viewport.dispatchEvent(new Event('scroll'));
  expect(directions).toEqual(['up']);
});
