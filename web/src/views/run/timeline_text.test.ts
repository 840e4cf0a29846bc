import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../api/model';
import { aMessage, aQuestionMessage } from '../../state/testing/fixtures';
import { timelineEntryText } from './timeline_text';

const viewer = { readerId: 'per_mara', nameOf: (id: string) => ({ per_mara: 'Mara', per_tobias: 'Tobias' })[id] };
const coder = { type: 'agent', id: 'agt_coder', name: 'Coder' } as const;
const tobias = { type: 'person', id: 'per_tobias', name: 'Tobias' } as const;
const at = '2026-03-02T09:12:04.000Z';
const moment = (kind: TimelineEntry['kind'], more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  no: 1,
  at,
  kind,
  by: coder,
  ...more,
});
const hello = aMessage({ from: tobias, body: 'Please\nlook' });

test.each<[TimelineEntry, ReturnType<typeof aMessage> | undefined, string, string | undefined]>([
  [moment('run_started', { message_id: 'msg_1' }), hello, 'Called by Tobias', 'Please look'],
  [moment('run_started', { message_id: 'msg_1' }), undefined, 'Coder began', undefined],
  [moment('run_started'), undefined, 'Coder began', undefined],
  [moment('run_started', { message_id: 'msg_1', detail: 'Answer Tobias' }), hello, 'Called by Tobias', 'Please look'],
  [moment('paused', { by: tobias, message_id: 'msg_1' }), hello, 'Paused by Tobias', 'Please look'],
  [moment('asked', { message_id: 'msg_ask' }), aQuestionMessage(), 'Asked you', 'Add a column, or keep it in memory?'],
  [moment('asked'), undefined, 'Coder asked', undefined],
  [moment('resumed', { detail: 'Tobias answered' }), hello, 'Went on', 'Tobias answered'],
  [moment('run_done'), undefined, 'Done', undefined],
  [moment('run_failed', { detail: 'no sign for 120 s' }), undefined, 'Failed', 'no sign for 120 s'],
  [moment('run_cancelled', { by: { ...tobias, id: 'per_mara' } }), undefined, 'Stopped by you', undefined],
  [moment('task_created', { by: tobias, detail: 'Ship it' }), undefined, 'Task given by Tobias', 'Ship it'],
  [moment('task_moved', { detail: 'working' }), undefined, 'Task is working', undefined],
])('%o', (one, message, title, detail) => {
  expect(timelineEntryText(one, message, viewer)).toEqual(detail ? { title, detail } : { title });
});

test('the last moment of a run that waits says so', () => {
  expect(timelineEntryText(moment('asked'), aQuestionMessage(), viewer, true).title).toBe('Asked you, waiting');
  expect(timelineEntryText(moment('resumed'), undefined, viewer, true).title).toBe('Went on');
});
