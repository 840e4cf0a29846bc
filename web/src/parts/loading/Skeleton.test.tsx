import { cleanup, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Skeleton } from './Skeleton';

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test('it appears after a delay, with its label', () => {
  render(() => <Skeleton label="Loading messages" lines={4} />);
  vi.advanceTimersByTime(299);
  expect(screen.queryByRole('status')).toBeNull();
  vi.advanceTimersByTime(1);
  expect(screen.getByRole('status').textContent).toBe('Loading messages');
  expect(document.querySelectorAll('.skeleton-line')).toHaveLength(4);
});
