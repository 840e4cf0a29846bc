import { cleanup, render, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { App } from './App';
import type { Preferences, Session } from './state/contract';
import { fakeStore } from './state/testing/fixtures';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const show = (session: () => Session, preferences: () => Preferences = fakeStore().preferences) =>
  render(() => <App store={fakeStore({ session, preferences })} />);

test('while the session is loading nothing is shown at first, then the logo', () => {
  show(() => ({ state: 'asking' }));
  expect(screen.queryByText('Connecting…')).toBeNull();
  vi.advanceTimersByTime(300);
  expect(screen.getByText('Connecting…')).toBeTruthy();
});

test('without a session the sign-in form is shown', async () => {
  vi.useRealTimers();
  show(() => ({ state: 'signed_out', was: 'Mara' }));
  expect(await screen.findByRole('heading', { name: 'Sign in again' }, { timeout: 10_000 })).toBeTruthy();
});

test('theme and density are applied as soon as they are chosen', () => {
  const usual = fakeStore().preferences();
  const [preferences, setPreferences] = createSignal<Preferences>({ ...usual, theme: 'light' });
  show(() => ({ state: 'signed_out' }), preferences);
  const looks = document.documentElement.dataset;
  expect([looks.theme, looks.density, looks.columns]).toEqual(['light', 'comfortable', 'two']);
  setPreferences({ ...usual, theme: 'system', density: 'compact', singleColumn: true });
  expect([looks.theme, looks.density, looks.columns]).toEqual([undefined, 'compact', 'one']);
});

test('an error of the page is shown, with a reload button', () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  show(() => {
    throw new Error('no such thing');
  });
  expect(screen.getByRole('heading', { name: 'Something went wrong.' })).toBeTruthy();
  expect(screen.getByText('no such thing')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy();
  expect(logged).toHaveBeenCalledOnce();
});
