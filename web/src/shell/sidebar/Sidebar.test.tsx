import { cleanup, fireEvent, screen, within } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../api/model';
import { dialogRequest } from '../../dialogs/open_dialog';
import { go } from '../../platform/router';
import { onShortcut } from '../../platform/shortcuts';
import { aChannel, aMessage, aPerson, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { renderWith, settled } from '../testing';
import { Sidebar } from './Sidebar';

const AT = '2026-03-02T09:12:00.000Z';
const reading = (conversation_id: string, unread: number, mentions: number[] = []) => ({
  conversation_id,
  last_seq: 9,
  read_seq: 9 - unread,
  unread,
  mentions,
});
const thread = {
  id: 'thr_1',
  project_id: 'prj_1',
  channel_id: 'chn_release',
  root_message_id: 'msg_root',
  created_by: 'per_mara',
  created_at: AT,
};
const dm = { id: 'dm_1', project_id: 'prj_1', participants: ['agt_coder', 'per_mara'], created_at: AT };

function show(snapshot: Snapshot | undefined, answers = {}) {
  const store = fakeStore({ snapshot: () => snapshot }, answers);
  renderWith(store, () => <Sidebar isInert={false} />);
  return store;
}
const rows = (list: string) =>
  within(screen.getByRole('list', { name: list }))
    .getAllByRole('link')
    .map((row) => row.querySelector('.unseen')?.textContent);

beforeEach(() => {
  localStorage.clear();
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_release' });
});
afterEach(cleanup);

describe('the sidebar', () => {
  it('lists channels, agents and people with real addresses', () => {
    show(aSnapshot());
    expect(rows('Channels')).toEqual(['general', 'release']);
    expect(rows('Agents')).toEqual(['Coder, offline', 'Reviewer, offline']);
    expect(rows('People')).toEqual(['Tobias, offline']);
    expect(screen.getByRole('link', { name: 'general' }).getAttribute('href')).toBe('#/p/prj_1/c/chn_general');
  });

  it('marks what is open', () => {
    show(aSnapshot());
    expect(screen.getByRole('link', { name: 'release' }).getAttribute('aria-current')).toBe('page');
    expect(screen.getByRole('link', { name: 'general' }).hasAttribute('aria-current')).toBe(false);
  });

  it('shows and announces unread messages and mentions', () => {
    show(aSnapshot({ reading: [reading('chn_general', 3, [7]), reading('chn_release', 2)] }));
    const general = screen.getByRole('link', { name: 'general, 3 unread, 1 mention' });
    expect(general.querySelector('.badge[data-kind=mention]')?.textContent).toBe('1');
    const release = screen.getByRole('link', { name: 'release, 2 unread' });
    expect(release.querySelector('.badge[data-kind=unread]')?.textContent).toBe('2');
  });

  it('follows the snapshot', () => {
    const [snapshot, setSnapshot] = createSignal(aSnapshot());
    renderWith(fakeStore({ snapshot }), () => <Sidebar isInert={false} />);
    setSnapshot(aSnapshot({ channels: [aChannel('chn_new', 'new-one')], reading: [reading('chn_new', 120)] }));
    expect(rows('Channels')).toEqual(['new-one, 120 unread']);
    expect(document.querySelector('.badge')?.textContent).toBe('99+');
  });

  it('names threads after their first message', async () => {
    show(aSnapshot({ threads: [thread], reading: [reading('thr_1', 1)] }), {
      findMessage: async () => aMessage({ id: 'msg_root', body: '\nResume after an epoch change\nmore' }),
    });
    await settled();
    const link = screen.getByRole('link', { name: 'Resume after an epoch change, 1 unread' });
    expect(link.getAttribute('href')).toBe('#/p/prj_1/c/chn_release?pane=thread:thr_1');
  });

  it('names dms by who else is in them', () => {
    show(aSnapshot({ dms: [dm] }));
    expect(rows('Direct messages')).toEqual(['Coder']);
  });

  it('shows nothing of another project while that one loads', () => {
    go({ view: 'conversation', projectId: 'prj_2', conversationId: 'chn_x' });
    show(aSnapshot());
    expect(screen.queryByRole('list', { name: 'Channels' })).toBeNull();
  });
});

describe('sections of the sidebar', () => {
  const folded = () => screen.getByRole('button', { name: 'Channels' });

  it('show open and unread rows when collapsed, and remember the state', () => {
    const channels = [aChannel(), aChannel('chn_release', 'release'), aChannel('chn_quiet', 'quiet')];
    show(aSnapshot({ channels, reading: [reading('chn_general', 1)] }));
    fireEvent.click(folded());
    expect(folded().getAttribute('aria-expanded')).toBe('false');
    expect(rows('Channels')).toEqual(['general, 1 unread', 'release']);
    expect(localStorage.getItem('parlour.folded')).toContain('channels');
    fireEvent.click(folded());
    expect(rows('Channels')).toHaveLength(3);
  });

  it('keep archived channels apart, folded at first', () => {
    show(aSnapshot({ channels: [aChannel(), aChannel('chn_old', 'old', { archived_at: AT })] }));
    expect(rows('Channels')).toEqual(['general']);
    expect(screen.queryByRole('link', { name: 'old' })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Archived' }));
    expect(rows('Archived')).toEqual(['old']);
    fireEvent.click(screen.getByRole('button', { name: 'Archived' }));
  });

  it('say what to do next when they are empty', () => {
    show(aSnapshot({ channels: [], agents: [], people: [aPerson()] }));
    fireEvent.click(screen.getByRole('button', { name: 'No channel yet. Create the first one.' }));
    expect(dialogRequest()).toEqual({ kind: 'create-channel' });
    fireEvent.click(screen.getByRole('button', { name: 'Add an agent.' }));
    expect(dialogRequest()).toEqual({ kind: 'add-agent' });
    fireEvent.click(screen.getByRole('button', { name: 'Nobody else yet. Invite people.' }));
    expect(dialogRequest()).toEqual({ kind: 'invite-people' });
  });
});

describe('acting in the sidebar', () => {
  it('moves through the rows of all sections by arrow keys', () => {
    show(aSnapshot());
    const [first, second] = document.querySelectorAll<HTMLElement>('.row-link');
    first?.focus();
    fireEvent.keyDown(first as HTMLElement, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(second);
    fireEvent.keyDown(second as HTMLElement, { key: 'End' });
    expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Tobias, offline' }));
    fireEvent.keyDown(document.activeElement as HTMLElement, { key: 'ArrowDown' });
    expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Tobias, offline' }));
  });

  it('opens the palette', () => {
    let isOpen = false;
    const end = onShortcut('palette', () => {
      isOpen = true;
    });
    show(aSnapshot());
    fireEvent.click(screen.getByRole('button', { name: /Search or jump to…/ }));
    expect(isOpen).toBe(true);
    end();
  });

  it('shows a member beside what is open, and writes to it by the small button', async () => {
    const store = show(aSnapshot(), { openDm: async () => dm });
    const coder = screen.getByRole('link', { name: 'Coder, offline' });
    expect(coder.getAttribute('href')).toBe('#/p/prj_1/c/chn_release?pane=member:agt_coder');
    fireEvent.click(screen.getByRole('button', { name: 'Message Coder' }));
    await settled();
    expect(store.asked.at(-1)).toEqual({ name: 'openDm', with: [['agt_coder']] });
    expect(location.hash).toBe('#/p/prj_1/c/dm_1');
  });
});
