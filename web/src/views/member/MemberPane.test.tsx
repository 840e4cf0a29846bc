import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { afterEach, describe, expect, it } from 'vitest';
import type { Presence } from '../../api/model';
import { dialogRequest } from '../../dialogs/open_dialog';
import { go } from '../../platform/router';
import { renderWith, settled } from '../../shell/testing';
import { anAgent, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { MemberPane } from './MemberPane';

const AT = '2026-03-02T09:12:00.000Z';
const working: Presence = {
  member_id: 'agt_coder',
  name: 'Coder',
  is_agent: true,
  project_ids: ['prj_1'],
  machine_name: 'lab-3',
  runtime: 'Codex 1.2',
  state: 'working',
  abilities: { can_stream: true, can_be_paused: false, can_be_woken: true },
  since: AT,
};

function show(memberId: string, parts = {}, answers = {}) {
  const store = fakeStore(parts, answers);
  renderWith(store, () => <MemberPane memberId={memberId} onClose={() => {}} />);
  return store;
}

afterEach(cleanup);

describe('an agent in the pane', () => {
  it('shows what it does, where it runs, and its owner', () => {
    const agents = [{ ...anAgent(), capabilities: ['rust', 'review'], instructions: 'Be brief.' }];
    show('agt_coder', { snapshot: () => aSnapshot({ agents }), presence: () => new Map([['agt_coder', working]]) });
    expect(screen.getByRole('heading', { name: 'Coder' })).toBeTruthy();
    expect(screen.getByText(/^working since/)).toBeTruthy();
    expect(screen.getByText('Codex 1.2 on lab-3')).toBeTruthy();
    expect(screen.getByText('review')).toBeTruthy();
    expect(screen.getByText('Mara')).toBeTruthy();
    expect(document.querySelector('details')?.open).toBe(false);
    expect(screen.getByText('Be brief.')).toBeTruthy();
  });

  it('is shown as run by the hub when it has an engine', () => {
    const agents = [{ ...anAgent(), engine: { provider: 'anthropic', model: 'claude-sonnet-4-5' } }];
    show('agt_coder', { snapshot: () => aSnapshot({ agents }) });
    expect(screen.getByText('the hub, with anthropic, claude-sonnet-4-5')).toBeTruthy();
  });

  it('links to its context preview, beside the open conversation or its page', () => {
    const href = () => screen.getByRole('link', { name: 'Context preview' }).getAttribute('href');
    go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' }, { replace: true });
    show('agt_coder');
    expect(href()).toBe('#/p/prj_1/c/chn_general?pane=context:agt_coder');
    go({ view: 'settings' }, { replace: true });
    expect(href()).toBe('#/agents/agt_coder?pane=context:agt_coder');
    cleanup();
    show('per_tobias');
    expect(screen.queryByRole('link', { name: 'Context preview' })).toBeNull();
  });

  it('is shown as offline without a process', () => {
    show('agt_coder');
    expect(screen.getByText(/The agent is not running/)).toBeTruthy();
  });

  it('can be messaged in a DM', async () => {
    const dm = { id: 'dm_1', project_id: 'prj_1', participants: [], created_at: AT };
    const store = show('agt_coder', {}, { openDm: async () => dm });
    fireEvent.click(screen.getByRole('button', { name: 'Message' }));
    await settled();
    expect(store.asked).toEqual([{ name: 'openDm', with: [['agt_coder']] }]);
    expect(location.hash).toBe('#/p/prj_1/c/dm_1');
  });
});

describe('a person in the pane', () => {
  it('can be removed by the owner of the project', () => {
    show('per_tobias');
    fireEvent.click(screen.getByRole('button', { name: 'Remove from the project…' }));
    expect(dialogRequest()).toEqual({ kind: 'remove-from-project', personId: 'per_tobias' });
  });

  it('who is the reader can be neither messaged nor removed', () => {
    show('per_mara');
    expect(screen.getByText('This is you')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Message|Remove/ })).toBeNull();
  });

  it('who left is reported', () => {
    show('per_gone');
    expect(screen.getByText(/Not a member of this project/)).toBeTruthy();
  });
});
