import { cleanup, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Run, TimelineEntry } from '../../api/model';
import { unreachable } from '../../api/refusal';
import { go } from '../../platform/router';
import { renderWith } from '../../shell/testing';
import { aDelivery, aMessage, aQuestionMessage, aRun, fakeStore } from '../../state/testing/fixtures';
import { RunPane } from './RunPane';
import { TaskPane } from './TaskPane';

const coder = { type: 'agent', id: 'agt_coder', name: 'Coder' } as const;
const at = '2026-03-02T09:12:04.000Z';
const run = aRun({
  id: 'run_7k2f',
  state: 'paused',
  message_id: 'msg_q',
  task_id: 'tsk_1',
  pauses: [{ reason: 'asked', message_id: 'msg_ask', conversation_id: 'chn_general', from: coder, since: at }],
  usage: { model: 'sketch-2', input_tokens: 640, output_tokens: 172 },
});
const entries: readonly TimelineEntry[] = [
  { no: 1, at, kind: 'run_started', by: coder, message_id: 'msg_q', run_id: run.id },
  { no: 2, at, kind: 'asked', by: coder, message_id: 'msg_ask', run_id: run.id },
];
const messages = new Map([
  ['msg_q', aMessage({ id: 'msg_q', body: 'find the cause' })],
  ['msg_ask', aQuestionMessage()],
]);
const answers = {
  loadRun: vi.fn(),
  loadTimeline: vi.fn(),
  loadInjections: async () => ({ items: [] }),
  findMessage: async (id: string) => messages.get(id),
};

beforeEach(() => {
  vi.useFakeTimers();
  go({ view: 'conversation', projectId: 'prj_1', conversationId: 'chn_general' }, { replace: true });
  answers.loadRun.mockReset().mockResolvedValue(run);
  answers.loadTimeline.mockReset().mockResolvedValue({ items: entries });
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

async function show(parts = {}) {
  renderWith(fakeStore(parts, answers), () => <RunPane runId="run_7k2f" onClose={() => {}} />);
  await vi.advanceTimersByTimeAsync(0);
}
const lines = () => [...document.querySelectorAll('.timeline-title')].map((one) => one.textContent);

test('it shows the question that pauses it, with a link', async () => {
  await show();
  expect(screen.getByRole('heading', { name: 'Run 7k2f' })).toBeTruthy();
  expect(document.querySelector('.run-card')?.textContent).toContain('waiting for you');
  expect(screen.getByText('Waiting for you')).toBeTruthy();
  expect(document.querySelector('.run-pause-text')?.textContent).toBe('Add a column, or keep it in memory?');
  expect(screen.getByRole('link', { name: 'Show the question' }).getAttribute('href')).toContain('/m/msg_ask');
});

test('its timeline has texts, and the last entry is marked as current', async () => {
  await show();
  expect(lines()).toEqual(['Called by you', 'Asked you, waiting']);
  expect(document.querySelector('.timeline-entry:last-child')?.hasAttribute('data-now')).toBe(true);
});

test('cause, task, tokens and context are shown', async () => {
  const given = aDelivery({ message_id: 'msg_q', run_id: 'run_7k2f', delivered_via: 'prompt', time_to_read_ms: 400 });
  await show({ deliveries: (id: string) => (id === 'msg_q' ? [given] : []) });
  expect(document.querySelector('.facts')?.textContent).toContain('640 in, 172 out · sketch-2');
  expect(screen.getByRole('link', { name: 'Show its timeline' }).getAttribute('href')).toContain('pane=task:tsk_1');
  expect(document.querySelector('.run-given')?.textContent).toBe(
    'Mara: find the cause in its prompt, read after 0.4 s',
  );
});

test('it is loaded again after an event', async () => {
  const [runs, setRuns] = createSignal<readonly Run[]>([run]);
  await show({ runs });
  const done = { ...run, state: 'done' as const, pauses: [], updated_at: '2026-03-02T09:20:00.000Z', finished_at: at };
  answers.loadRun.mockResolvedValue(done);
  answers.loadTimeline.mockResolvedValue({ items: [...entries, { no: 3, at, kind: 'run_done', by: coder }] });
  setRuns([]);
  await vi.advanceTimersByTimeAsync(300);
  expect(document.querySelector('.run-card')?.textContent).toContain('done');
  expect(lines()).toEqual(['Called by you', 'Asked you', 'Done']);
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull();
});

test('a missing run and an unreachable hub are reported', async () => {
  answers.loadRun.mockResolvedValue(undefined);
  await show();
  expect(screen.getByText(/This run does not exist/)).toBeTruthy();
  cleanup();
  answers.loadRun.mockRejectedValue(unreachable());
  await show();
  expect(screen.getByText(/The hub is not responding/)).toBeTruthy();
});

test('the timeline of a task names the runs', async () => {
  renderWith(fakeStore({}, answers), () => <TaskPane taskId="tsk_1" onClose={() => {}} />);
  await vi.advanceTimersByTimeAsync(0);
  expect(answers.loadTimeline).toHaveBeenCalledWith({ task: 'tsk_1' }, undefined);
  expect(lines()).toEqual(['Called by you', 'Asked you']);
  expect(screen.getAllByRole('link', { name: 'run 7k2f' })).toHaveLength(2);
});
