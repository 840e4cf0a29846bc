import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { messageAt, nextMessage, passTab, takeTab } from './list_keyboard';
import type { Geometry } from './scroll/scroll_anchor';

const keys = ['top', 'day:2026-3-2', 'a', 'unread', 'b', 'c', 'bottom'];
const geometry: Geometry = {
  ...{ keys, top: 0, viewport: 100, end: 600 },
  indexAt: (offset) => Math.min(Math.floor(offset / 20), keys.length - 1),
  offsetOf: (index) => index * 20,
  sizeOf: () => 20,
};

describe('from message to message', () => {
  test('separator rows are skipped', () => {
    expect(nextMessage(geometry, 'a', 1)).toBe('b');
    expect(nextMessage(geometry, 'b', -1)).toBe('a');
  });

  test('it stops at both ends', () => {
    expect(nextMessage(geometry, 'c', 1)).toBeUndefined();
    expect(nextMessage(geometry, 'a', -1)).toBeUndefined();
  });

  test('it starts at the last visible message', () => {
    expect(nextMessage(geometry, undefined, -1)).toBe('b');
    expect(nextMessage(geometry, 'gone', 1)).toBe('b');
  });
});

describe('Tab', () => {
  let list: HTMLElement;

  beforeEach(() => {
    vi.useFakeTimers();
    list = document.createElement('div');
    for (const id of ['a', 'b']) {
      const row = document.createElement('div');
      row.className = 'list-row';
      const article = document.createElement('article');
      article.className = 'message';
      article.dataset.id = id;
      article.append(document.createElement('button'));
      row.append(article);
      list.append(row);
    }
  });
  afterEach(() => vi.useRealTimers());

  const inert = () => [...list.querySelectorAll<HTMLElement>('.list-row')].map((row) => row.inert === true);
  const tabFrom = (target: Element) => {
    list.addEventListener('keydown', (event) => passTab(list, event), { once: true });
    target.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', bubbles: true }));
  };

  test('goes from the list past all messages, for one key', () => {
    tabFrom(list);
    expect(inert()).toEqual([true, true]);
    vi.runAllTimers();
    expect(inert()).toEqual([false, false]);
  });

  test('goes through the buttons of the message that has the focus', () => {
    const button = list.querySelector('button');
    if (button) tabFrom(button);
    expect(inert()).toEqual([false, true]);
    expect(messageAt(button)).toBe('a');
  });

  test('comes back to the list, not to the last button in it', () => {
    const field = document.createElement('textarea');
    list.tabIndex = 0;
    document.body.append(list, field);
    const stop = takeTab(list);
    const buttons = [...list.querySelectorAll('button')];
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Tab', shiftKey: true, bubbles: true }));
    buttons.at(-1)?.focus();
    expect(document.activeElement).toBe(list);
    vi.runAllTimers();
    buttons[0]?.focus();
    expect(document.activeElement).toBe(buttons[0]);
    stop();
    list.remove();
    field.remove();
  });
});
