import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listenForShortcuts } from './keyboard';
import { onShortcut } from './shortcuts';

const ends: (() => void)[] = [];
let letterKeys = true;

beforeEach(() => {
  letterKeys = true;
  document.body.replaceChildren();
  ends.push(listenForShortcuts(() => letterKeys, false));
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

function answer(id: string) {
  const handler = vi.fn();
  ends.push(onShortcut(id, handler));
  return handler;
}

function press(key: string, more: KeyboardEventInit & { at?: number; on?: Element } = {}): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
  if (more.at !== undefined) Object.defineProperty(event, 'timeStamp', { value: more.at });
  (more.on ?? document.body).dispatchEvent(event);
  return event;
}

function add<K extends keyof HTMLElementTagNameMap>(name: K): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  document.body.append(element);
  return element;
}

test('a shortcut runs its handler and takes the key from the browser', () => {
  const palette = answer('palette');
  expect(press('k', { ctrlKey: true }).defaultPrevented).toBe(true);
  expect(palette).toHaveBeenCalledOnce();
});

test('a key without a handler is left to the browser', () => {
  expect(press('k', { ctrlKey: true }).defaultPrevented).toBe(false);
});

test('the newest handler wins, and the older is back when it ends', () => {
  const [older, newer] = [answer('palette'), vi.fn()];
  const end = onShortcut('palette', newer);
  press('k', { ctrlKey: true });
  end();
  press('k', { ctrlKey: true });
  expect([newer.mock.calls.length, older.mock.calls.length]).toEqual([1, 1]);
});

test('two keys within a second and a half are one shortcut', () => {
  const search = answer('search');
  press('g', { at: 0 });
  press('s', { at: 1_400 });
  expect(search).toHaveBeenCalledOnce();
});

test('two keys too far apart are not', () => {
  const search = answer('search');
  press('g', { at: 0 });
  press('s', { at: 1_600 });
  expect(search).not.toHaveBeenCalled();
});

test('another key in between ends the sequence', () => {
  const search = answer('search');
  press('g', { at: 0 });
  press('x', { at: 100 });
  press('s', { at: 200 });
  expect(search).not.toHaveBeenCalled();
});

test('letter shortcuts work neither in fields nor when they are switched off', () => {
  const reply = answer('reply');
  press('r', { on: add('textarea') });
  press('r', { on: add('input') });
  letterKeys = false;
  press('r');
  expect(reply).not.toHaveBeenCalled();
  letterKeys = true;
  press('r');
  expect(reply).toHaveBeenCalledOnce();
});

test('a shortcut with a modifier counts in fields, and when characters are off', () => {
  const palette = answer('palette');
  letterKeys = false;
  press('k', { ctrlKey: true, on: add('textarea') });
  expect(palette).toHaveBeenCalledOnce();
});

test('End moves in a field and goes to the newest message elsewhere', () => {
  const newest = answer('newest');
  press('End', { on: add('textarea') });
  expect(newest).not.toHaveBeenCalled();
  press('End');
  expect(newest).toHaveBeenCalledOnce();
});

test('no shortcut works while a dialog is open', () => {
  const [palette, next] = [answer('palette'), answer('next-message')];
  add('dialog').setAttribute('open', '');
  press('k', { ctrlKey: true });
  press('j');
  expect(palette).not.toHaveBeenCalled();
  expect(next).not.toHaveBeenCalled();
});

test('no shortcut works during input composition', () => {
  const reply = answer('reply');
  press('r', { isComposing: true });
  expect(reply).not.toHaveBeenCalled();
});

test('a key that was handled already is ignored', () => {
  const close = answer('close');
  const list = add('div');
  list.addEventListener('keydown', (event) => event.preventDefault());
  press('Escape', { on: list });
  expect(close).not.toHaveBeenCalled();
});

test('F6 works in fields too', () => {
  const region = answer('region');
  press('F6', { on: add('textarea') });
  expect(region).toHaveBeenCalledOnce();
});
