import { cleanup, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { renderWith } from '../shell/testing';
import { aSnapshot, fakeStore } from '../state/testing/fixtures';
import { Dialogs } from './Dialogs';
import { closeDialog, type DialogRequest, openDialog } from './open_dialog';

// Loaded before the tests, so that none of them waits.
beforeAll(() => import('./DialogSwitch'));
afterEach(() => {
  closeDialog();
  cleanup();
});

const TITLES: [DialogRequest, string][] = [
  [{ kind: 'create-channel' }, 'Create a channel'],
  [{ kind: 'edit-channel', channelId: 'chn_release' }, 'Edit #release'],
  [{ kind: 'channel-members', channelId: 'chn_release' }, 'Members of #release'],
  [{ kind: 'start-dm' }, 'Start a direct message'],
  [{ kind: 'create-project' }, 'Create a project'],
  [{ kind: 'invite-people' }, 'Invite people to Parlour dev'],
  [{ kind: 'add-agent' }, 'Add an agent'],
  [{ kind: 'remove-from-channel', channelId: 'chn_release', memberId: 'agt_coder' }, 'Remove Coder from #release?'],
  [{ kind: 'remove-from-channel', channelId: 'chn_release', memberId: 'per_mara' }, 'Leave #release?'],
  [{ kind: 'remove-from-project', personId: 'per_tobias' }, 'Remove Tobias from the project?'],
];

describe('a dialog request', () => {
  it.each(TITLES)('%o is answered by “%s”', async (request, title) => {
    renderWith(fakeStore(), () => <Dialogs />);
    openDialog(request);
    expect(await screen.findByRole('dialog', { name: title })).toBeTruthy();
    closeDialog();
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('ends when the reader goes back', async () => {
    renderWith(fakeStore(), () => <Dialogs />);
    openDialog({ kind: 'start-dm' });
    expect(await screen.findByRole('dialog')).toBeTruthy();
    dispatchEvent(new Event('popstate'));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('closes when its subject disappears', async () => {
    const [snapshot, setSnapshot] = createSignal(aSnapshot());
    renderWith(fakeStore({ snapshot }), () => <Dialogs />);
    openDialog({ kind: 'channel-members', channelId: 'chn_release' });
    expect(await screen.findByRole('dialog')).toBeTruthy();
    setSnapshot(aSnapshot({ channels: [] }));
    expect(screen.queryByRole('dialog')).toBeNull();
  });
});
