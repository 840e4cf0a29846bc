import { fireEvent } from '@solidjs/testing-library';
import { createRoot } from 'solid-js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { isActive, isFocused, pin, toggleTouched } from './active_row';

const KEY = 'conversation/msg_1';
let article: HTMLElement;
let link: HTMLAnchorElement;

beforeEach(() => {
  article = document.createElement('article');
  article.className = 'message';
  article.tabIndex = -1;
  Object.assign(article.dataset, { scope: 'conversation', id: 'msg_1' });
  link = document.createElement('a');
  article.append(link);
  document.body.append(article);
});
afterEach(() => {
  fireEvent.pointerOver(document.body);
  fireEvent.pointerDown(document.body);
  fireEvent.focusOut(document.body);
  article.remove();
  vi.useRealTimers();
});

const active = () => createRoot((dispose) => [isActive(KEY), dispose()][0]);
const focused = () => createRoot((dispose) => [isFocused(KEY), dispose()][0]);

test('the row under the pointer is active, until the pointer goes elsewhere', () => {
  fireEvent.pointerOver(link);
  expect(active()).toBe(true);
  fireEvent.pointerOver(document.body);
  expect(active()).toBe(false);
});

test('a finger that passes does not count as a pointer', () => {
  fireEvent.pointerOver(link, { pointerType: 'touch' });
  expect(active()).toBe(false);
});

test('the first key makes a focused row active', () => {
  article.focus();
  expect(focused()).toBe(true);
  fireEvent.keyDown(article, { key: 'r' });
  expect(active()).toBe(true);
  fireEvent.focusOut(article);
  expect([active(), focused()]).toEqual([false, false]);
});

test('an open menu keeps its row active', () => {
  pin(KEY);
  expect(active()).toBe(true);
  pin(undefined);
  expect(active()).toBe(false);
});

describe('a finger', () => {
  const touch = { pointerType: 'touch', clientX: 10, clientY: 10 };

  test('that stays opens the actions, and follows no link', () => {
    vi.useFakeTimers();
    fireEvent.pointerDown(link, touch);
    vi.advanceTimersByTime(449);
    expect(active()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(active()).toBe(true);
    fireEvent.pointerUp(link, touch);
    expect(fireEvent.click(link)).toBe(false);
    expect(fireEvent.click(link)).toBe(true);
  });

  test.each(['moves', 'lifts'])('that %s before opens nothing', (what) => {
    vi.useFakeTimers();
    fireEvent.pointerDown(link, touch);
    if (what === 'moves') fireEvent.pointerMove(link, { ...touch, clientY: 30 });
    else fireEvent.pointerUp(link, touch);
    vi.advanceTimersByTime(1_000);
    expect(active()).toBe(false);
  });

  test('elsewhere closes them', () => {
    toggleTouched(KEY);
    expect(active()).toBe(true);
    fireEvent.pointerDown(document.body);
    expect(active()).toBe(false);
  });

  test('on the button opens and closes them', () => {
    toggleTouched(KEY);
    toggleTouched(KEY);
    expect(active()).toBe(false);
  });
});
