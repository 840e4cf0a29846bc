import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CopyButton } from './CopyButton';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test('it copies the text and shows a confirmation for a while', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  render(() => <CopyButton text={() => 'the link'} label="Copy the link" />);
  fireEvent.click(screen.getByRole('button', { name: 'Copy the link' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(write).toHaveBeenCalledWith('the link');
  expect(screen.getByRole('button').textContent).toBe('Copied');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(screen.getByRole('button').textContent).toBe('Copy the link');
});

test('an icon button has a name', () => {
  render(() => <CopyButton text="x" label="Copy the code" look="icon" />);
  expect(screen.getByRole('button', { name: 'Copy the code' }).textContent).toBe('');
});
