import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../api/model';
import { aMessage, aQuestionMessage } from '../../state/testing/fixtures';
import { timelineEntryText } from './timeline_text';

const viewer = { readerId: 'per_mara', nameOf: (id: string) => ({ per_mara: 'Mara', per_tobias: 'Tobias' })[id] };
const coder = { type: 'agent', id: 'agt_coder', name: 'Coder' } as const;
const tobias = { type: 'person', id: 'per_tobias', name: 'Tobias' } as const;
const at = '2026-03-02T09:12:04.000Z';
const entry = (kind: TimelineEntry['kind'], more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  no: 1,
  at,
  kind,
  by: coder,
  ...more,
});
const hello = aMessage({ from: tobias, body: 'Please\nlook' });

test.each<[TimelineEntry, ReturnType<typeof aMessage> | undefined, string, string | undefined]>([
  [entry('run_started', { message_id: 'msg_1' }), hello, 'Called by Tobias', 'Please look'],
  [entry('run_started', { message_id: 'msg_1' }), undefined, 'Coder started', undefined],
  [entry('run_started'), undefined, 'Coder started', undefined],
  [entry('run_started', { message_id: 'msg_1', detail: 'Answer Tobias' }), hello, 'Called by Tobias', 'Please look'],
  [entry('paused', { by: tobias, message_id: 'msg_1' }), hello, 'Paused by Tobias', 'Please look'],
  [entry('asked', { message_id: 'msg_ask' }), aQuestionMessage(), 'Asked you', 'Add a column, or keep it in memory?'],
  [entry('asked'), undefined, 'Coder asked', undefined],
  [entry('resumed', { detail: 'Tobias answered' }), hello, 'Resumed', 'Tobias answered'],
  [entry('run_done'), undefined, 'Done', undefined],
  [entry('run_failed', { detail: 'no sign for 120 s' }), undefined, 'Failed', 'no sign for 120 s'],
  [entry('run_cancelled', { by: { ...tobias, id: 'per_mara' } }), undefined, 'Stopped by you', undefined],
  [entry('task_created', { by: tobias, detail: 'Ship it' }), undefined, 'Task created by Tobias', 'Ship it'],
  [entry('task_moved', { detail: 'working' }), undefined, 'Task is working', undefined],
])('%o', (one, message, title, detail) => {
  expect(timelineEntryText(one, message, viewer)).toEqual(detail ? { title, detail } : { title });
});

test('the last entry of a paused run says "waiting"', () => {
  expect(timelineEntryText(entry('asked'), aQuestionMessage(), viewer, true).title).toBe('Asked you, waiting');
  expect(timelineEntryText(entry('resumed'), undefined, viewer, true).title).toBe('Resumed');
});
