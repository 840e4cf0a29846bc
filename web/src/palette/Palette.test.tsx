import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { go, route } from '../platform/router';
import { runShortcut } from '../platform/shortcuts';
import { StoreContext } from '../state/store_context';
import { aMessage, aRun, fakeStore } from '../state/testing/fixtures';
import { addCommands } from './commands';
// Loaded in advance, so that no test waits.
import './OpenPalette';
import { Palette } from './Palette';

const SEARCH_PAUSE_MS = 200;
const search = vi.fn();
let store: ReturnType<typeof fakeStore>;

beforeEach(async () => {
  localStorage.clear();
  go({ view: 'home' }, { replace: true });
  const hit = { snippet: 'the epoch change', message: aMessage({ id: 'msg_9', body: 'the epoch change' }) };
  search.mockReset().mockResolvedValue({ hits: [hit] });
  store = fakeStore(
    { runs: () => [aRun({ id: 'run_aaaa' })] },
    { search, openDm: async () => ({ id: 'dm_1', project_id: 'prj_1' }) as never },
  );
  render(() => (
    <StoreContext.Provider value={store}>
      <Palette />
    </StoreContext.Provider>
  ));
  runShortcut('palette');
  await screen.findByRole('combobox');
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const field = () => screen.getByRole('combobox');
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });
const press = (key: string, more: KeyboardEventInit = {}) => fireEvent.keyDown(field(), { key, ...more });
const active = () => document.getElementById(field().getAttribute('aria-activedescendant') ?? '')?.textContent;

test('a channel is opened by its name', () => {
  type('rele');
  press('Enter');
  expect(route()).toMatchObject({ conversationId: 'chn_release' });
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('a member opens the DM with them', async () => {
  type('@tob');
  press('Enter');
  await vi.runAllTimersAsync();
  expect(store.asked).toContainEqual({ name: 'openDm', with: [['per_tobias']] });
  expect(route()).toMatchObject({ conversationId: 'dm_1' });
});

test('a run of an agent is opened by its name', () => {
  type('run of cod');
  press('Enter');
  expect(location.hash).toBe('#/runs?pane=run:run_aaaa');
});

test('a command is run', () => {
  type('dark theme');
  press('Enter');
  expect(store.asked).toContainEqual({ name: 'setPreferences', with: [{ theme: 'dark' }] });
});

test('messages are searched after a pause, from two letters on', async () => {
  type('e');
  await vi.advanceTimersByTimeAsync(SEARCH_PAUSE_MS * 2);
  expect(search).not.toHaveBeenCalled();
  type('ep');
  type('epoch');
  await vi.advanceTimersByTimeAsync(SEARCH_PAUSE_MS);
  expect(search.mock.calls).toEqual([['epoch']]);
  fireEvent.click(screen.getByRole('option', { name: /the epoch change/ }));
  expect(route()).toMatchObject({ conversationId: 'chn_general', messageId: 'msg_9' });
});

test('the last line searches everything', () => {
  type('zzz');
  press('ArrowUp');
  press('Enter');
  expect(route()).toEqual({ view: 'search', query: 'zzz' });
});

test('arrow keys move through the lines and wrap around', () => {
  type('>theme');
  const first = active();
  press('ArrowDown');
  expect(active()).not.toBe(first);
  press('ArrowUp');
  press('ArrowUp');
  press('ArrowDown');
  expect(active()).toBe(first);
});

test('a new query selects the best line again', () => {
  type('>');
  press('ArrowDown');
  type('>sign');
  expect(active()).toContain('Sign out');
});

test('its own shortcut closes it', () => {
  press('k', { ctrlKey: true });
  expect(screen.queryByRole('combobox')).toBeNull();
});

test('no matches are reported', () => {
  type('@nobody');
  expect(screen.getByText('No matches.')).toBeTruthy();
});

test('added commands are listed until they are removed', () => {
  const run = vi.fn();
  const end = addCommands([{ id: 'x', label: 'Export everything', icon: 'file', run }]);
  type('export');
  expect(active()).toContain('Export everything');
  end();
  expect(active()).not.toContain('Export everything');
});
