import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../api/refusal';
import { renderWith, settled } from '../../shell/testing';
import { aChannel, fakeStore } from '../../state/testing/fixtures';
import { closeDialog, dialogRequest } from '../open_dialog';
import { CreateChannel } from './CreateChannel';

function show(answers = {}) {
  const store = fakeStore({}, answers);
  let isClosed = false;
  renderWith(store, () => (
    <CreateChannel
      onClose={() => {
        isClosed = true;
      }}
    />
  ));
  return { store, isClosed: () => isClosed };
}
const type = (label: RegExp, value: string) => fireEvent.input(screen.getByLabelText(label), { target: { value } });
const submit = async () => {
  fireEvent.submit(document.querySelector('form') as HTMLFormElement);
  await settled();
};
const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Create' });

beforeEach(closeDialog);
afterEach(cleanup);

describe('creating a channel', () => {
  it('waits for a valid name, and shows why one is invalid', () => {
    show();
    expect(button().disabled).toBe(true);
    type(/Name/, '#release');
    expect(screen.getByText(/A name cannot contain “#”/)).toBeTruthy();
    expect(screen.getByLabelText(/Name/).getAttribute('aria-invalid')).toBe('true');
    type(/Name/, 'release');
    expect(button().disabled).toBe(false);
  });

  it('creates a public channel and opens it', async () => {
    const { store, isClosed } = show({ createChannel: async () => aChannel('chn_new', 'release') });
    type(/Name/, ' release ');
    type(/Topic/, 'Ship 0.4');
    await submit();
    expect(store.asked).toEqual([
      { name: 'createChannel', with: [{ name: 'release', topic: 'Ship 0.4', visibility: 'project' }] },
    ]);
    expect(location.hash).toBe('#/p/prj_1/c/chn_new');
    expect(isClosed()).toBe(true);
    expect(dialogRequest()).toBeUndefined();
  });

  it('continues with the members when it is private', async () => {
    const { store } = show({ createChannel: async () => aChannel('chn_new', 'quiet', { visibility: 'private' }) });
    type(/Name/, 'quiet');
    fireEvent.click(screen.getByRole('switch', { name: 'Private' }));
    expect(screen.getByText(/Only you and the members you add can see it/)).toBeTruthy();
    await submit();
    expect(store.asked[0]?.with).toEqual([{ name: 'quiet', visibility: 'private' }]);
    expect(dialogRequest()).toEqual({ kind: 'channel-members', channelId: 'chn_new' });
  });

  it('shows a refusal at its field, and keeps what was typed', async () => {
    const refusal = new Refusal('PARLOUR-C02', 'The name "release" is taken.', { status: 409, field: 'name' });
    const { isClosed } = show({ createChannel: () => Promise.reject(refusal) });
    type(/Name/, 'release');
    type(/Topic/, 'Ship 0.4');
    await submit();
    expect(isClosed()).toBe(false);
    expect(screen.getByText('The name "release" is taken. (PARLOUR-C02)').id).toBe(
      screen.getByLabelText(/Name/).getAttribute('aria-describedby'),
    );
    expect(screen.getByLabelText<HTMLTextAreaElement>(/Topic/).value).toBe('Ship 0.4');
    type(/Name/, 'release-2');
    expect(screen.queryByText(/is taken/)).toBeNull();
  });

  it('shows any other refusal below the fields, with its code', async () => {
    show({ createChannel: () => Promise.reject(new Refusal('PARLOUR-A04', 'The token lacks a scope.')) });
    type(/Name/, 'release');
    await submit();
    expect(screen.getByRole('alert').textContent).toBe('The token lacks a scope. PARLOUR-A04');
  });
});
