import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { InboxEntry } from '../../api/model';
import { Refusal, unreachable } from '../../api/refusal';
import { runShortcut } from '../../platform/shortcuts';
import { renderWith } from '../../shell/testing';
import { aMessage, fakeStore } from '../../state/testing/fixtures';
import { InboxView } from './InboxView';

const tobias = { type: 'person', id: 'per_tobias', name: 'Tobias' } as const;
const mention = (id: string, seq: number, to = 'chn_general'): InboxEntry => ({
  reason: 'mention',
  message: aMessage({ id, seq, to, from: tobias, body: `**Text** of ${id}` }),
});
const loadInbox = vi.fn();
const markMessageRead = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  markMessageRead.mockReset().mockResolvedValue(undefined);
  loadInbox
    .mockReset()
    .mockResolvedValue({ items: [mention('m3', 3), mention('m2', 2), mention('r1', 1, 'chn_release')] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function show() {
  renderWith(fakeStore({}, { loadInbox, markMessageRead }), () => <InboxView />);
  await vi.advanceTimersByTimeAsync(0);
}

const ids = () => [...document.querySelectorAll<HTMLElement>('.inbox-link')].map((one) => one.dataset.id);
const focused = () => (document.activeElement as HTMLElement).dataset.id;

test('messages are grouped by conversation, as plain text, with links', async () => {
  await show();
  expect(screen.getAllByRole('heading', { level: 2 }).map((one) => one.textContent)).toEqual(['#general', '#release']);
  const [first] = document.querySelectorAll('.inbox-link');
  expect(first?.getAttribute('href')).toBe('#/p/prj_1/c/chn_general/m/m3');
  expect(first?.querySelector('.hit-snippet')?.textContent).toBe('Text of m3');
  expect(first?.textContent).toContain('mentions you');
});

test('J and K move through all of them, and E marks as read up to the focused one', async () => {
  await show();
  runShortcut('next-message');
  expect(focused()).toBe('m3');
  runShortcut('next-message');
  expect(focused()).toBe('m2');
  runShortcut('inbox-read');
  expect(markMessageRead.mock.calls).toEqual([['m2']]);
  expect(ids()).toEqual(['m3', 'r1']);
  expect(focused()).toBe('r1');
  runShortcut('previous-message');
  expect(focused()).toBe('m3');
});

test('marking all uses the newest message of each conversation', async () => {
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Mark all as read' }));
  expect(markMessageRead.mock.calls).toEqual([['m3'], ['r1']]);
  loadInbox.mockResolvedValue({ items: [] });
  await vi.advanceTimersByTimeAsync(0);
  expect(screen.getByText(/You are all caught up/)).toBeTruthy();
});

test('messages that could not be marked are shown again', async () => {
  markMessageRead.mockRejectedValue(new Refusal('PARLOUR-A02', 'Not allowed.'));
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Mark as read: #general' }));
  expect(ids()).toEqual(['r1']);
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toEqual(['m3', 'm2', 'r1']);
});

test('a failure is shown and can be retried', async () => {
  loadInbox.mockRejectedValueOnce(unreachable());
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(ids()).toHaveLength(3);
});

test('more is asked for by a button', async () => {
  loadInbox.mockResolvedValueOnce({ items: [mention('m3', 3)], next: 'c1' });
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Show more' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(loadInbox).toHaveBeenLastCalledWith('c1');
  expect(ids()).toHaveLength(3);
});
