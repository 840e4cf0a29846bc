import { cleanup, screen } from '@solidjs/testing-library';
import { afterEach, expect, test, vi } from 'vitest';
import type { Digest, Me } from '../../api/model';
import { renderWith, settled } from '../../shell/testing';
import { anAgent, aRun, aSnapshot, fakeStore } from '../../state/testing/fixtures';
import { AgentView } from './AgentView';
import { abilityTexts, limitTexts } from './agent_text';

const brief = {
  message_id: 'msg_1',
  conversation_id: 'chn_general',
  type: 'channel',
  from: { type: 'person', id: 'per_mara', name: 'Mara' },
  importance: 'normal',
  summary: 'the **resume** test',
} as const;
const none = { total: 3, mentions: 1, high: 0, critical: 0, blocking: 0 };
const digest: Digest = {
  conversation_id: 'chn_general',
  type: 'channel',
  unread: none,
  from: [brief.from],
  oldest: brief,
  newest: brief,
};
const answers = {
  listRuns: vi.fn(async () => ({ items: [aRun({ id: 'run_aaaa' })] })),
  loadInboxCounts: vi.fn(async () => none),
  loadDigests: vi.fn(async () => ({ items: [digest] })),
};

afterEach(cleanup);

async function show(role: Me['role'], id = 'agt_coder') {
  const me: Me = { member_id: 'per_mara', name: 'Mara', role, scopes: [] };
  const agents = [{ ...anAgent(), capabilities: ['rust'] }];
  const parts = { session: () => ({ state: 'signed_in', me }) as const, snapshot: () => aSnapshot({ agents }) };
  renderWith(fakeStore(parts, answers), () => <AgentView agentId={id} />);
  await settled();
  await settled();
}

test('an agent has its runs and what it can do', async () => {
  await show('person');
  expect(screen.getByRole('heading', { name: 'Coder', level: 1 })).toBeTruthy();
  expect(answers.listRuns).toHaveBeenCalledWith({ agentId: 'agt_coder', limit: 10 });
  expect(document.querySelectorAll('.run')).toHaveLength(1);
  expect(screen.getByText('rust')).toBeTruthy();
  const seen = screen.getByRole('link', { name: 'Context preview' });
  expect(seen.getAttribute('href')).toContain('pane=context:agt_coder');
});

test('the inbox is shown to administrators only', async () => {
  await show('person');
  expect(answers.loadInboxCounts).not.toHaveBeenCalled();
  cleanup();
  await show('admin');
  expect(document.querySelector('.counts')?.textContent).toContain('unread3');
  expect(document.querySelector('.digest')?.textContent).toBe('#general3 unread from Marathe resume test');
});

test('a missing one is reported', async () => {
  await show('person', 'agt_gone');
  expect(screen.getByText(/not in this project/)).toBeTruthy();
});

test('abilities and limits are sentences', () => {
  expect(abilityTexts(undefined)).toHaveLength(1);
  expect(limitTexts({ policy: undefined })).toEqual([]);
});
