import { fireEvent, screen } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import type { Delivery } from '../../api/model';
import { markReady } from '../../platform/ready';
import { aDelivery, aMessage, aRun } from '../../state/testing/fixtures';
import { anAnswer, renderRow } from '../testing';
// Loaded in advance, so that no test waits.
import './lazy_parts';

markReady();
const mention = aMessage({ id: 'msg_1', body: '@Coder look', mentions: ['agt_coder'] });
const line = () => screen.findByRole('button', { name: /Coder|saw|answered|Stored/ });
let count = 0;
/** Open ledgers are remembered by row, so each test uses a new message. */
const another = () => {
  count += 1;
  return { ...mention, id: `msg_l${count}` };
};

test('the space of the line is reserved, and the line follows events', async () => {
  const [deliveries, setDeliveries] = createSignal<readonly Delivery[]>();
  const { article } = renderRow({ message: another(), store: { deliveries: () => deliveries() } });
  expect(article.querySelector('.ledger')).not.toBeNull();
  setDeliveries([aDelivery()]);
  expect((await line()).textContent).toBe('Stored for Coder');
  const marks = () => [...article.querySelectorAll('.ledger-steps i')].map((one) => one.getAttribute('data-mark'));
  expect(marks()).toEqual(['done', 'open', 'open', 'open', 'open']);
  setDeliveries([aDelivery({ state: 'seen', time_to_read_ms: 400, run_id: 'run_abcd' })]);
  expect((await line()).textContent).toBe('Coder saw it in run abcd · 0.4 s');
  expect(marks()).toEqual(['done', 'done', 'done', 'done', 'open']);
});

test('it opens a table with delivery path, run and the reason of a failure', async () => {
  const failed = aDelivery({
    state: 'failed',
    why: 'its process ended',
    delivered_via: 'checkpoint',
    run_id: 'run_abcd',
    queued_at: '2026-03-02T09:12:00.100Z',
    injected_at: '2026-03-02T09:12:00.400Z',
    ended_at: '2026-03-02T09:12:09.000Z',
  });
  renderRow({ message: another(), store: { deliveries: () => [failed] } });
  const button = await line();
  expect(button.getAttribute('aria-expanded')).toBe('false');
  fireEvent.click(button);
  expect(button.getAttribute('aria-expanded')).toBe('true');
  const rows = [...(await screen.findByRole('table')).querySelectorAll('tr')].map((row) => row.textContent);
  expect(rows[2]).toMatch(/^Given to the model.*after 0\.4 s · at a checkpoint · run abcd$/);
  expect(rows[3]).toBe('Seennot yet');
  expect(rows.at(-1)).toMatch(/^Failed.*its process ended$/);
  expect(screen.getByRole('link', { name: 'run abcd' }).getAttribute('href')).toContain('pane=run:run_abcd');
});

test('below the message of another it is shown only on demand', async () => {
  const from = { type: 'person', id: 'per_tobias', name: 'Tobias' } as const;
  const message = { ...another(), from };
  const { article, getByLabelText } = renderRow({ message, store: { deliveries: () => [aDelivery()] } });
  expect(article.querySelector('.ledger')).toBeNull();
  fireEvent.pointerOver(article);
  fireEvent.click(getByLabelText('More'));
  fireEvent.click(screen.getByRole('menuitem', { name: 'Deliveries' }));
  expect(await screen.findByRole('table')).toBeTruthy();
});

test('a streaming answer links to its run', async () => {
  const message = anAnswer({ reply_to: 'msg_q', state: 'streaming' });
  const run = aRun({ id: 'run_abcd', message_id: 'msg_q', state: 'paused' });
  renderRow({ message, store: { runs: () => [run] } });
  const link = await screen.findByRole('link', { name: 'run abcd, paused' });
  expect(link.getAttribute('href')).toContain('run_abcd');
});

test('an ended answer links to the run that got the question', async () => {
  const message = anAnswer({ reply_to: 'msg_q' });
  const asked: string[] = [];
  const deliveries = (id: string) => {
    asked.push(id);
    return [aDelivery({ message_id: 'msg_q', state: 'answered', run_id: 'run_abcd' })];
  };
  renderRow({ message, store: { deliveries } });
  const link = await screen.findByRole('link', { name: 'run abcd' });
  expect(link.getAttribute('href')).toContain('run_abcd');
  expect(new Set(asked)).toEqual(new Set(['msg_q']));
});
