import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { notifications, type Permission } from '../../platform/notifications';
import { StoreContext } from '../../state/store_context';
import { fakeStore } from '../../state/testing/fixtures';
import { NotifySetting } from './NotifySetting';

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

function show(permission: Permission, after: Permission = permission) {
  vi.spyOn(notifications, 'permission').mockReturnValue(permission);
  const ask = vi.spyOn(notifications, 'ask').mockResolvedValue(after);
  const store = fakeStore();
  render(() => (
    <StoreContext.Provider value={store}>
      <NotifySetting />
    </StoreContext.Provider>
  ));
  return { ask, asked: () => store.asked };
}

test('the browser is asked only after a click, and then it is on', async () => {
  const { ask, asked } = show('ask', 'allowed');
  expect(ask).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Notify me' }));
  expect(await screen.findByRole('switch', { name: 'Notify me of questions' })).toBeTruthy();
  expect(asked()).toEqual([{ name: 'setPreferences', with: [{ notify: true }] }]);
});

test('a denied permission shows how to change it', async () => {
  const { asked } = show('ask', 'denied');
  fireEvent.click(screen.getByRole('button', { name: 'Notify me' }));
  expect(await screen.findByText(/The browser blocks notifications/)).toBeTruthy();
  expect(asked()).toEqual([]);
});

test('it can be switched off where it is allowed, and is explained where there is none', () => {
  const { asked } = show('allowed');
  fireEvent.click(screen.getByRole('switch'));
  expect(asked()).toEqual([{ name: 'setPreferences', with: [{ notify: true }] }]);
  cleanup();
  show('unsupported');
  expect(screen.getByText(/Notifications are not available/)).toBeTruthy();
});
