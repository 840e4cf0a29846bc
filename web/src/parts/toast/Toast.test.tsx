import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { announcement } from '../../platform/announce';
import { Toasts, toast } from './Toast';

const SHOWN_MS = 5_000;

beforeEach(() => {
  vi.useFakeTimers();
  render(() => <Toasts />);
});
afterEach(() => {
  vi.runAllTimers();
  cleanup();
  vi.useRealTimers();
});

const texts = () => [...document.querySelectorAll('.toast-text')].map((one) => one.textContent);

test('a toast is shown, announced, and disappears', () => {
  toast('Saved.');
  expect(texts()).toEqual(['Saved.']);
  expect(announcement().trim()).toBe('Saved.');
  vi.advanceTimersByTime(SHOWN_MS);
  expect(texts()).toEqual([]);
});

test('it waits while the pointer or the focus is on it', () => {
  toast('Saved.');
  const card = screen.getByText('Saved.').parentElement as HTMLElement;
  fireEvent.pointerEnter(card);
  vi.advanceTimersByTime(SHOWN_MS * 2);
  expect(texts()).toEqual(['Saved.']);
  fireEvent.pointerLeave(card);
  vi.advanceTimersByTime(SHOWN_MS);
  expect(texts()).toEqual([]);
});

test('Escape and the close button remove it', () => {
  for (const leave of [
    () => fireEvent.click(screen.getByRole('button', { name: 'Dismiss', hidden: true })),
    () => fireEvent.keyDown(screen.getByText('Stays.'), { key: 'Escape' }),
  ]) {
    toast('Stays.', { ms: 0 });
    vi.advanceTimersByTime(SHOWN_MS * 10);
    expect(texts()).toEqual(['Stays.']);
    leave();
    expect(texts()).toEqual([]);
  }
});

test('a newer toast with the same key replaces the older one', () => {
  toast('Connection lost.', { key: 'connection' });
  toast('Other.');
  toast('Connected again.', { key: 'connection' });
  expect(texts()).toEqual(['Other.', 'Connected again.']);
});

test('only the newest four are shown', () => {
  for (const number of [1, 2, 3, 4, 5, 6]) toast(`Note ${number}`);
  expect(texts()).toEqual(['Note 3', 'Note 4', 'Note 5', 'Note 6']);
});

test('its action runs once and ends it', () => {
  const run = vi.fn();
  toast('Cleared.', { action: { label: 'Undo', run } });
  fireEvent.click(screen.getByRole('button', { name: 'Undo', hidden: true }));
  expect(run).toHaveBeenCalledOnce();
  expect(texts()).toEqual([]);
});

test('the returned function closes it', () => {
  const end = toast('Uploading…', { ms: 0 });
  expect(texts()).toEqual(['Uploading…']);
  end();
  expect(texts()).toEqual([]);
});
