import { cleanup, fireEvent, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Run } from '../../api/model';
import { go } from '../../platform/router';
import { renderWith } from '../../shell/testing';
import { aMessage, aRun, fakeStore } from '../../state/testing/fixtures';
import { RunsView } from './RunsView';

const listRuns = vi.fn();
const resumeRun = vi.fn();
const cancelRun = vi.fn();
const findMessage = vi.fn();
const tobias = { type: 'person', id: 'per_tobias', name: 'Tobias' } as const;
const pause = {
  reason: 'message',
  message_id: 'msg_p',
  conversation_id: 'chn_general',
  from: tobias,
  since: '2026-03-02T09:13:00.000Z',
} as const;
const paused = aRun({ id: 'run_aaaa', state: 'paused', pauses: [pause], message_id: 'msg_q' });
const failed = aRun({
  id: 'run_bbbb',
  agent_id: 'agt_reviewer',
  state: 'failed',
  reason: 'its process gave no sign for 120 seconds',
  finished_at: '2026-03-02T09:14:00.000Z',
  usage: { model: 'm', input_tokens: 640, output_tokens: 172 },
});

beforeEach(() => {
  vi.useFakeTimers();
  go({ view: 'runs' }, { replace: true });
  for (const mock of [resumeRun, cancelRun]) mock.mockReset().mockResolvedValue(paused);
  findMessage.mockReset().mockResolvedValue(aMessage({ id: 'msg_q', from: tobias, body: 'the resume test fails' }));
  listRuns.mockReset().mockResolvedValue({ items: [paused, failed] });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function show(runs: () => readonly Run[] = () => []) {
  renderWith(fakeStore({ runs }, { listRuns, resumeRun, cancelRun, findMessage }), () => <RunsView />);
  await vi.advanceTimersByTimeAsync(0);
}
const rows = () => [...document.querySelectorAll('.run')].map((row) => row.textContent ?? '');

test('a run shows agent, state, cause and cost, and links to its timeline', async () => {
  await show();
  expect(rows()[0]).toContain('Coderpaused by Tobias#general · Tobias: the resume test fails');
  expect(rows()[1]).toContain('failed');
  expect(rows()[1]).toContain('its process gave no sign for 120 seconds');
  expect(rows()[1]).toContain('812 tokens');
  expect(screen.getByRole('link', { name: 'Coder' }).getAttribute('href')).toBe('#/runs?pane=run:run_aaaa');
});

test('open runs are loaded first; all runs or those of one agent on request', async () => {
  await show();
  expect(listRuns).toHaveBeenLastCalledWith({ limit: 30, isOpen: true });
  fireEvent.click(screen.getByLabelText('All'));
  await vi.advanceTimersByTimeAsync(0);
  expect(listRuns).toHaveBeenLastCalledWith({ limit: 30 });
  fireEvent.change(screen.getByLabelText('Agent'), { target: { value: 'agt_reviewer' } });
  await vi.advanceTimersByTimeAsync(0);
  expect(listRuns).toHaveBeenLastCalledWith({ limit: 30, agentId: 'agt_reviewer' });
});

test('a paused run resumes by a click', async () => {
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
  expect(resumeRun).toHaveBeenCalledWith('run_aaaa');
});

test('resuming a run that waits for an answer needs confirmation', async () => {
  const asked = { ...paused, pauses: [{ ...pause, reason: 'asked' as const }] };
  listRuns.mockResolvedValue({ items: [asked] });
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Resume' }));
  expect(resumeRun).not.toHaveBeenCalled();
  const dialog = document.querySelector('dialog');
  expect(dialog?.textContent).toContain('Its question is withdrawn.');
  fireEvent.click(dialog?.querySelector('[data-kind=main]') as HTMLElement);
  expect(resumeRun).toHaveBeenCalledWith('run_aaaa');
});

test('a run is stopped only after a confirmation, and an ended one not at all', async () => {
  await show();
  expect(screen.getAllByRole('button', { name: 'Stop…' })).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Stop…' }));
  expect(cancelRun).not.toHaveBeenCalled();
  fireEvent.click(document.querySelector('dialog [data-kind=danger]') as HTMLElement);
  expect(cancelRun).toHaveBeenCalledWith('run_aaaa');
});

test('the list follows events of runs', async () => {
  const [runs, setRuns] = createSignal<readonly Run[]>([paused]);
  await show(runs);
  listRuns.mockResolvedValue({ items: [{ ...paused, state: 'running', pauses: [] }] });
  setRuns([{ ...paused, state: 'running', pauses: [] }]);
  await vi.advanceTimersByTimeAsync(300);
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toContain('running');
});

test('without open runs, a button shows all runs', async () => {
  listRuns.mockResolvedValue({ items: [] });
  await show();
  fireEvent.click(screen.getByRole('button', { name: 'Show all runs' }));
  await vi.advanceTimersByTimeAsync(0);
  expect(screen.getByText(/No runs yet/)).toBeTruthy();
});
