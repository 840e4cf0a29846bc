import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Me } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { go, route } from '../../platform/router';
import { EMPTY_DRAFT } from '../../state/contract';
import { StoreContext } from '../../state/store_context';
import { anAgent, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { FirstRun } from './FirstRun';
// Loaded in advance, so that no test waits.
import './Welcome';

const ADMIN: Me = { member_id: 'per_admin', name: 'Admin', role: 'admin', scopes: [] };

beforeEach(() => {
  localStorage.clear();
  go({ view: 'home' }, { replace: true });
});
afterEach(cleanup);

function show(me: Me = ADMIN, rename: () => Promise<void> = async () => {}) {
  const snapshot = aSnapshot({ agents: [anAgent(), anAgent('agt_guide', 'Guide')] });
  const store = fakeStore(
    { session: () => ({ state: 'signed_in', me }), snapshot: () => snapshot },
    { rename: () => rename() },
  );
  render(() => (
    <StoreContext.Provider value={store}>
      <FirstRun />
    </StoreContext.Provider>
  ));
  return store;
}

const field = () => screen.findByLabelText('What is your name?') as Promise<HTMLInputElement>;

async function give(name: string) {
  const input = await field();
  fireEvent.input(input, { target: { value: name } });
  fireEvent.submit(input.form as HTMLFormElement);
}

test('the first administrator gives a name and finds an example to send', async () => {
  const store = show();
  await give(' Mara ');
  await vi.waitFor(() => expect(route()).toMatchObject({ conversationId: 'chn_general' }));
  expect(store.asked).toContainEqual({ name: 'rename', with: ['Mara'] });
  expect(store.draft('chn_general')).toEqual({ ...EMPTY_DRAFT, text: '@Guide what can you do?' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a typed draft is not replaced by the example', async () => {
  const store = show();
  store.commands.setDraft('chn_general', { ...EMPTY_DRAFT, text: 'Hello' });
  await give('Mara');
  await vi.waitFor(() => expect(route()).toMatchObject({ conversationId: 'chn_general' }));
  expect(store.draft('chn_general').text).toBe('Hello');
});

test('a refused name is marked at the field and stays in it', async () => {
  show(ADMIN, () => Promise.reject(new Refusal('PARLOUR-V01', 'This name is taken.')));
  await give('Tobias');
  await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toBe('This name is taken. (PARLOUR-V01)'));
  expect((await field()).value).toBe('Tobias');
});

test('later means never again in this browser', async () => {
  show();
  fireEvent.click(await screen.findByRole('button', { name: 'Later' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  cleanup();
  show();
  expect(screen.queryByRole('dialog')).toBeNull();
});

test.each([
  ['another name', { ...ADMIN, name: 'Mara' }],
  ['no administrator', { ...ADMIN, role: 'person' as const }],
])('the welcome is not shown: %s', async (_, me) => {
  show(me);
  await Promise.resolve();
  expect(screen.queryByRole('dialog')).toBeNull();
});
