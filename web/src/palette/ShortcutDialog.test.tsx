import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runShortcut, SHORTCUTS } from '../platform/shortcuts';
import { StoreContext } from '../state/store_context';
import { fakeStore } from '../state/testing/fixtures';
// Loaded in advance, so that no test waits.
import './ShortcutList';
import { ShortcutDialog } from './ShortcutDialog';

let store: ReturnType<typeof fakeStore>;
const show = async (parts: Parameters<typeof fakeStore>[0] = {}) => {
  store = fakeStore(parts);
  render(() => (
    <StoreContext.Provider value={store}>
      <ShortcutDialog />
    </StoreContext.Provider>
  ));
  runShortcut('sheet');
  await screen.findByRole('heading', { name: 'Shortcuts' });
};

beforeEach(() => document.body.replaceChildren());
afterEach(cleanup);

test('every shortcut of the table is on it', async () => {
  await show();
  const terms = screen.getAllByRole('term').map((one) => one.textContent);
  expect(terms.toSorted()).toEqual(SHORTCUTS.map((one) => one.does).toSorted());
});

test('it says which key sends, as the reader chose', async () => {
  const { preferences } = fakeStore();
  await show({ preferences: () => ({ ...preferences(), enterSends: false }) });
  const row = screen.getByText('Send').parentElement;
  expect(row?.textContent).toBe('SendCtrlEnter');
});

test('single letters can be switched off there', async () => {
  await show();
  fireEvent.click(screen.getByRole('switch', { name: 'Single letters' }));
  expect(store.asked).toContainEqual({ name: 'setPreferences', with: [{ letterKeys: false }] });
});
