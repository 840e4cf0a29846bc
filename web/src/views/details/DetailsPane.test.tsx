import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../api/model';
import { dialogRequest } from '../../dialogs/open_dialog';
import { go } from '../../platform/router';
import { renderWith, settled } from '../../shell/testing';
import { aChannel, aMessage, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { DetailsPane } from './DetailsPane';

const AT = '2026-03-02T09:12:00.000Z';
const seat = (member_id: string) => ({ channel_id: 'chn_a', member_id });
const quiet = aChannel('chn_a', 'quiet', { visibility: 'private', created_by: 'per_mara', topic: 'Ship 0.4' });
const secret = aSnapshot({ channels: [quiet], channel_members: [seat('per_mara'), seat('agt_coder')] });

function show(snapshot: Snapshot, conversationId: string, answers = {}) {
  const store = fakeStore({ snapshot: () => snapshot }, answers);
  renderWith(store, () => <DetailsPane conversationId={conversationId} onClose={() => {}} />);
  return store;
}
const open = (tab: RegExp) => fireEvent.click(screen.getByRole('tab', { name: tab }));
const names = (list: string) =>
  within(screen.getByRole('list', { name: list }))
    .getAllByRole('link')
    .map((link) => link.querySelector('.details-name')?.textContent);

beforeEach(() => go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_a' }));
afterEach(cleanup);

describe('details of a channel', () => {
  it('show topic and visibility, with an edit button for those who may', () => {
    show(secret, 'chn_a');
    expect(screen.getByText('Ship 0.4')).toBeTruthy();
    expect(screen.getByText('Members only.')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Edit the channel' }));
    expect(dialogRequest()).toEqual({ kind: 'edit-channel', channelId: 'chn_a' });
  });

  it('offer no editing to others', () => {
    const project = { ...aSnapshot().project, owner: 'per_tobias' };
    show(aSnapshot({ project }), 'chn_general');
    expect(screen.queryByRole('button', { name: 'Edit the channel' })).toBeNull();
  });

  it('list the members of a private one, with the ways in and out', () => {
    show(secret, 'chn_a');
    open(/Members/);
    expect(names('Members')).toEqual(['Coder', 'Mara']);
    fireEvent.click(screen.getByRole('button', { name: 'Remove Coder' }));
    expect(dialogRequest()).toEqual({ kind: 'remove-from-channel', channelId: 'chn_a', memberId: 'agt_coder' });
    fireEvent.click(screen.getByRole('button', { name: 'Add a member' }));
    expect(dialogRequest()).toEqual({ kind: 'channel-members', channelId: 'chn_a' });
  });

  it('list everyone for a public channel, without remove buttons', () => {
    show(aSnapshot(), 'chn_general');
    open(/Members/);
    expect(names('Members')).toEqual(['Coder', 'Mara', 'Reviewer', 'Tobias']);
    expect(screen.queryByRole('button', { name: /Remove|Leave/ })).toBeNull();
  });

  it('list its threads with their counts', async () => {
    const thread = { id: 'thr_1', project_id: 'prj_1', channel_id: 'chn_a', root_message_id: 'msg_1', created_at: AT };
    const reading = { conversation_id: 'thr_1', last_seq: 3, read_seq: 2, unread: 1, mentions: [] };
    show({ ...secret, threads: [thread], reading: [reading] }, 'chn_a', {
      findMessage: async () => aMessage({ body: 'Why is it slow?' }),
    });
    open(/Threads/);
    await settled();
    expect(names('Threads')).toEqual(['Why is it slow?']);
    expect(screen.getByText('Mara · 3 replies · 1 unread')).toBeTruthy();
  });

  it('list its files to download, and nobody else’s', () => {
    const file = {
      id: 'art_1',
      project_id: 'prj_1',
      filename: 'plan.pdf',
      media_type: 'application/pdf',
      size: 14_000,
      sha256: '',
      conversation_id: 'chn_a',
      created_by: 'per_mara',
      created_at: AT,
    };
    show({ ...secret, artifacts: [file, { ...file, id: 'art_2', conversation_id: 'chn_b' }] }, 'chn_a');
    open(/Files/);
    expect(names('Files')).toEqual(['plan.pdf']);
    const link = screen.getByRole('link');
    expect(link.getAttribute('href')).toBe('/artifacts/art_1/content');
    expect(link.textContent).toContain('14 kB · Mara');
  });

  it('say what to do when there is nothing', () => {
    show(secret, 'chn_a');
    open(/Threads/);
    expect(screen.getByText(/No threads yet/)).toBeTruthy();
    open(/Files/);
    expect(screen.getByText(/No files yet/)).toBeTruthy();
  });
});

describe('details of a dm', () => {
  it('show its members, without threads', () => {
    const dm = { id: 'dm_1', project_id: 'prj_1', participants: ['agt_coder', 'per_mara'], created_at: AT };
    show(aSnapshot({ dms: [dm] }), 'dm_1');
    expect(screen.getByRole('heading', { name: 'Coder' })).toBeTruthy();
    expect(screen.queryByRole('tab', { name: /Threads/ })).toBeNull();
    open(/Members/);
    expect(names('Members')).toEqual(['Coder', 'Mara']);
  });
});
