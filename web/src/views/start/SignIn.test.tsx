import { cleanup, fireEvent, render, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Refusal, unreachable } from '../../api/refusal';
import { StoreContext } from '../../state/store_context';
import { fakeStore } from '../../state/testing/fixtures';
import { SignIn, signInProblemText } from './SignIn';

afterEach(cleanup);

function show(signIn: () => Promise<void> = async () => {}, was?: string) {
  const store = fakeStore({}, { signIn });
  render(() => (
    <StoreContext.Provider value={store}>
      <SignIn was={was} />
    </StoreContext.Provider>
  ));
  return store;
}

const name = () => screen.getByLabelText('Name') as HTMLInputElement;
const password = () => screen.getByLabelText('Password') as HTMLInputElement;
const submit = () => fireEvent.submit(name().form as HTMLFormElement);

test('name and password sign in, without spaces around the name', async () => {
  const store = show();
  fireEvent.input(name(), { target: { value: ' Mara ' } });
  fireEvent.input(password(), { target: { value: ' a secret ' } });
  submit();
  expect(store.asked).toContainEqual({ name: 'signIn', with: ['Mara', ' a secret '] });
});

test('a wrong password is reported; the name stays, and the empty password field has the focus', async () => {
  show(() => Promise.reject(new Refusal('PARLOUR-A01', 'No.', { status: 401 })));
  fireEvent.input(name(), { target: { value: 'Mara' } });
  fireEvent.input(password(), { target: { value: 'wrong' } });
  submit();
  await vi.waitFor(() => expect(screen.getByRole('alert').textContent).toBe('Wrong name or password.'));
  expect([name().value, password().value]).toEqual(['Mara', '']);
  expect(document.activeElement).toBe(password());
});

test('a second submit while the first is running does nothing', () => {
  const store = show(() => new Promise(() => {}));
  submit();
  submit();
  expect(store.asked.filter((one) => one.name === 'signIn')).toHaveLength(1);
});

test('after a session has ended, it explains what is kept and fills in the name', () => {
  show(undefined, 'Mara');
  expect(screen.getByText('Your session has ended. What you typed is kept.')).toBeTruthy();
  expect(name().value).toBe('Mara');
  expect(document.activeElement).toBe(password());
});

test('password managers find what they look for', () => {
  show();
  expect([name().autocomplete, password().autocomplete]).toEqual(['username', 'current-password']);
});

describe('the text of a refusal', () => {
  test.each([
    [new Refusal('PARLOUR-A01', 'x', { status: 401 }), 'Wrong name or password.'],
    [
      new Refusal('PARLOUR-R01', 'x', { status: 429, retryAfterSeconds: 12 }),
      'Too many tries. Wait 12 seconds, then try again.',
    ],
    [
      new Refusal('PARLOUR-R01', 'x', { status: 429, retryAfterSeconds: 1 }),
      'Too many tries. Wait 1 second, then try again.',
    ],
    [unreachable(), 'The hub is not responding. Check that it is running, then try again.'],
    [new Refusal('PARLOUR-S01', 'The hub has met a fault.', { status: 500 }), 'The hub has met a fault. (PARLOUR-S01)'],
  ])('%s', (refusal, words) => {
    expect(signInProblemText(refusal)).toBe(words);
  });
});
