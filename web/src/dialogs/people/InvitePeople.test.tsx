import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../api/refusal';
import { renderWith, settled } from '../../shell/testing';
import type { Session } from '../../state/contract';
import { aPerson, fakeStore } from '../../state/testing/fixtures';
import { InvitePeople } from './InvitePeople';

const ines = aPerson('per_ines', 'Ines');
const admin = { ...aPerson('per_admin', 'Ada'), is_admin: true };
const signedIn = (role: 'person' | 'admin') => (): Session => ({
  state: 'signed_in',
  me: { member_id: 'per_mara', name: 'Mara', role, scopes: [] },
});

async function show(answers = {}, role: 'person' | 'admin' = 'person') {
  const store = fakeStore(
    { session: signedIn(role) },
    { listPeople: async () => [aPerson(), aPerson('per_tobias', 'Tobias'), ines, admin], ...answers },
  );
  renderWith(store, () => <InvitePeople onClose={() => {}} />);
  await settled();
  return store;
}
const openNew = () => fireEvent.click(screen.getByRole('tab', { name: 'New person' }));

afterEach(cleanup);

describe('inviting people of the hub', () => {
  it('lists people outside the project, and adds them', async () => {
    const store = await show();
    expect(screen.queryByText('Tobias')).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Add Ines' }));
    await settled();
    expect(store.asked.at(-1)).toEqual({ name: 'addProjectPerson', with: ['per_ines'] });
  });

  it('filters people by name', async () => {
    await show();
    fireEvent.input(screen.getByLabelText('Find a person'), { target: { value: 'ine' } });
    expect(screen.queryByText('Ada')).toBeNull();
    expect(screen.getByText('Ines')).toBeTruthy();
  });

  it('reports that all people are members, or why the list could not be loaded', async () => {
    await show({ listPeople: async () => [aPerson()] });
    expect(screen.getByText('Everyone on this hub is already in the project.')).toBeTruthy();
    cleanup();
    await show({ listPeople: () => Promise.reject(new Refusal('PARLOUR-S01', 'The hub is busy.')) });
    expect(screen.getByRole('alert').textContent).toBe('The hub is busy. PARLOUR-S01');
  });
});

describe('inviting somebody new', () => {
  it('names the administrators to other members', async () => {
    await show();
    openNew();
    expect(screen.getByText(/Only administrators can add people to the hub. Ask Ada/)).toBeTruthy();
    expect(screen.queryByLabelText(/Name/)).toBeNull();
  });

  it('shows administrators the link, once, as a whole address', async () => {
    const invitePerson = async () => ({ person: ines, link: '/sign-in#code=parlour_lnk_1' });
    const store = await show({ invitePerson }, 'admin');
    openNew();
    fireEvent.input(screen.getByLabelText(/Name/), { target: { value: 'Ines' } });
    fireEvent.submit(document.querySelector('form') as HTMLFormElement);
    await settled();
    expect(store.asked.at(-1)).toEqual({ name: 'invitePerson', with: ['Ines'] });
    expect(screen.getByLabelText<HTMLTextAreaElement>('To copy').value).toBe(
      `${location.origin}/sign-in#code=parlour_lnk_1`,
    );
    expect(screen.getByRole('button', { name: 'Copy the link' })).toBeTruthy();
  });
});
