import { afterEach, expect, it, vi } from 'vitest';
import { currentTheme, onThemeChange } from './theme';

afterEach(() => {
  delete document.documentElement.dataset.theme;
});

it('is the chosen theme', () => {
  document.documentElement.dataset.theme = 'dark';
  expect(currentTheme()).toBe('dark');
  document.documentElement.dataset.theme = 'light';
  expect(currentTheme()).toBe('light');
});

it('reports each change once, until it is stopped', async () => {
  document.documentElement.dataset.theme = 'light';
  const calls = vi.fn();
  const end = onThemeChange(calls);
  document.documentElement.dataset.theme = 'dark';
  await vi.waitFor(() => expect(calls.mock.calls).toEqual([['dark']]));
  end();
  document.documentElement.dataset.theme = 'light';
  await Promise.resolve();
  expect(calls).toHaveBeenCalledTimes(1);
});
