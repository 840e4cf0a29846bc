import { createRoot, createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import type { Run } from '../../api/model';
import { announce, announcement } from '../../platform/announce';
import { aRun, fakeStore } from '../../state/testing/fixtures';
import { announceRuns, runNews } from './announce_runs';

const mara = { type: 'person', id: 'per_mara', name: 'Mara' } as const;
const pause = {
  reason: 'message',
  message_id: 'msg_1',
  conversation_id: 'chn_general',
  from: mara,
  since: '',
} as const;

test('a pause is announced with its cause, and the resumption too', () => {
  const paused = aRun({ state: 'paused', pauses: [pause] });
  expect(runNews(aRun(), paused, 'Coder')).toBe('Coder is paused: Mara asks');
  expect(runNews(aRun(), { ...paused, pauses: [{ ...pause, reason: 'asked' }] }, 'Coder')).toBe(
    'Coder is waiting for an answer',
  );
  expect(runNews(paused, aRun(), 'Coder')).toBe('Coder continues');
  expect(runNews(paused, { ...paused, updated_at: '2027-01-01T00:00:00.000Z' }, 'Coder')).toBeUndefined();
});

test('runs that existed at the start are not announced', () => {
  const [runs, setRuns] = createSignal<readonly Run[]>([]);
  createRoot((dispose) => {
    announceRuns(fakeStore({ runs }));
    return dispose;
  });
  announce('before');
  setRuns([aRun({ state: 'paused', pauses: [pause] })]);
  expect(announcement()).toBe('before');
  setRuns([aRun()]);
  expect(announcement()).toBe('Coder continues');
});
