import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { EmptyState } from './EmptyState';

afterEach(cleanup);

test('an empty list shows a sentence and runs its next step', () => {
  const run = vi.fn();
  render(() => (
    <EmptyState icon="play" action={{ label: 'Show all runs', run }}>
      No open runs.
    </EmptyState>
  ));
  expect(document.querySelector('.empty-state p')?.textContent).toBe('No open runs.');
  fireEvent.click(screen.getByRole('button', { name: 'Show all runs' }));
  expect(run).toHaveBeenCalledOnce();
});

test('an empty list without an action has no button', () => {
  render(() => <EmptyState icon="inbox">No files yet.</EmptyState>);
  expect(document.querySelector('.empty-state')?.textContent).toBe('No files yet.');
  expect(screen.queryByRole('button')).toBeNull();
});
