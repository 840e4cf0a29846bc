import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import { Refusal } from '../../api/refusal';
import type { Commands } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { fakeStore } from '../../state/testing/fixtures';
import { SettingsView } from './SettingsView';

afterEach(cleanup);

function show(answers: Partial<Commands> = {}) {
  const store = fakeStore({}, { hubVersion: async () => '0.4.0', ...answers });
  render(() => (
    <StoreContext.Provider value={store}>
      <SettingsView />
    </StoreContext.Provider>
  ));
  return store;
}

const field = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));

test.each([
  ['Dark', { theme: 'dark' }],
  ['Compact', { density: 'compact' }],
  ['One column', { singleColumn: true }],
  ['Single-letter shortcuts', { letterKeys: false }],
  ['Enter sends', { enterSends: false }],
])('%s is changed at once', (label, change) => {
  const store = show();
  fireEvent.click(screen.getByLabelText(label));
  expect(store.asked).toContainEqual({ name: 'setPreferences', with: [change] });
});

test('a name is saved only when it is another', () => {
  const store = show();
  const save = screen.getByRole('button', { name: 'Save name' }) as HTMLButtonElement;
  expect(save.disabled).toBe(true);
  fireEvent.input(field('Name'), { target: { value: 'Mara K' } });
  expect(save.disabled).toBe(false);
  fireEvent.submit(field('Name').form as HTMLFormElement);
  expect(store.asked).toContainEqual({ name: 'rename', with: ['Mara K'] });
});

test('a refused name is marked at the field and stays in it', async () => {
  show({ rename: () => Promise.reject(new Refusal('PARLOUR-V01', 'This name is taken.')) });
  fireEvent.input(field('Name'), { target: { value: 'Tobias' } });
  fireEvent.submit(field('Name').form as HTMLFormElement);
  await vi.waitFor(() => expect(field('Name').getAttribute('aria-invalid')).toBe('true'));
  const descriptions = (field('Name').getAttribute('aria-describedby') ?? '')
    .split(' ')
    .map((id) => document.getElementById(id));
  expect(descriptions.at(-1)?.textContent).toBe('This name is taken. (PARLOUR-V01)');
  expect(field('Name').value).toBe('Tobias');
});

test('a password is set with the one before, or without when there is none', async () => {
  const store = show();
  const form = field('New password').form as HTMLFormElement;
  field('New password').value = 'seven swans';
  fireEvent.submit(form);
  await vi.waitFor(() => expect(field('New password').value).toBe(''));
  field('Current password').value = 'seven swans';
  field('New password').value = 'eight swans';
  fireEvent.submit(form);
  const asked = store.asked.filter((one) => one.name === 'setPassword').map((one) => one.with);
  expect(asked).toEqual([
    ['seven swans', undefined],
    ['eight swans', 'seven swans'],
  ]);
});

test('a refused password is shown', async () => {
  show({ setPassword: () => Promise.reject(new Refusal('PARLOUR-A04', 'The password before is another.')) });
  field('New password').value = 'seven swans';
  fireEvent.submit(field('New password').form as HTMLFormElement);
  expect(await screen.findByText('The password before is another. (PARLOUR-A04)')).toBeTruthy();
});

test('the version of the hub is shown', async () => {
  show();
  expect(await screen.findByText('0.4.0')).toBeTruthy();
});

test('the button signs out', () => {
  const store = show();
  press('Sign out');
  expect(store.asked).toContainEqual({ name: 'signOut', with: [] });
});
