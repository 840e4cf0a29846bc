import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../api/refusal';
import { renderWith, settled } from '../../shell/testing';
import { aChannel, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { ChannelMembers } from './ChannelMembers';

const seat = (member_id: string) => ({ channel_id: 'chn_a', member_id });

function show(more = {}, answers = {}) {
  const channel = aChannel('chn_a', 'quiet', { visibility: 'private', created_by: 'per_mara', ...more });
  const snapshot = aSnapshot({ channels: [channel], channel_members: [seat('per_mara'), seat('agt_coder')] });
  const project = { ...snapshot.project, owner: 'per_tobias' };
  const store = fakeStore({ snapshot: () => ({ ...snapshot, project }) }, answers);
  renderWith(store, () => <ChannelMembers channel={channel} onClose={() => {}} />);
  return store;
}
const pick = async (name: RegExp) => {
  fireEvent.click(screen.getByRole('combobox'));
  fireEvent.click(screen.getByRole('option', { name, hidden: true }));
  await settled();
};

afterEach(cleanup);

describe('members of a private channel', () => {
  it('are listed, with the reader among them', () => {
    show();
    const rows = within(screen.getByRole('list', { name: 'Members' })).getAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.people-name')?.textContent)).toEqual(['Marayou', 'Coder']);
  });

  it('can be added by name', async () => {
    const store = show();
    await pick(/Reviewer/);
    expect(store.asked).toEqual([{ name: 'addChannelMember', with: ['chn_a', 'agt_reviewer'] }]);
  });

  it('show why a member could not be added', async () => {
    show({}, { addChannelMember: () => Promise.reject(new Refusal('PARLOUR-N01', 'There is no such member.')) });
    await pick(/Tobias/);
    expect(screen.getByRole('alert').textContent).toBe('There is no such member. PARLOUR-N01');
  });

  it('are removed only after asking', async () => {
    const store = show();
    fireEvent.click(screen.getByRole('button', { name: 'Remove Coder' }));
    expect(store.asked).toEqual([]);
    fireEvent.click(screen.getByRole('button', { name: 'Remove' }));
    await settled();
    expect(store.asked).toEqual([{ name: 'removeChannelMember', with: ['chn_a', 'agt_coder'] }]);
  });

  it('can be removed by others only if they manage the channel; everybody may leave', () => {
    show({ created_by: 'per_tobias' });
    expect(screen.queryByRole('button', { name: 'Remove Coder' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Leave the channel' })).toBeTruthy();
  });
});

describe('members of a channel of the project', () => {
  it('are all members of the project', () => {
    show({ visibility: 'project' });
    expect(screen.getByText(/Everyone in the project is in this channel/)).toBeTruthy();
    expect(screen.queryByRole('combobox')).toBeNull();
  });
});
