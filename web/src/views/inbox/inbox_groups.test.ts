import { expect, test } from 'vitest';
import type { InboxEntry } from '../../api/model';
import { aMessage, aQuestionMessage } from '../../state/testing/fixtures';
import { inboxGroups, priorityOf, priorityText } from './inbox_groups';

const me = 'per_mara';
const entry = (id: string, to: string, seq: number, more: Partial<InboxEntry['message']> = {}): InboxEntry => ({
  reason: 'subscription',
  message: aMessage({ id, to, seq, created_at: `2026-03-02T09:00:0${seq}.000Z`, ...more }),
});

test('groups by conversation: most important first, then newest', () => {
  const entries = [
    entry('plain', 'chn_a', 9),
    entry('high', 'chn_b', 1, { importance: 'high' }),
    { ...entry('mention', 'chn_c', 1), reason: 'mention' as const },
    { ...entry('later mention', 'chn_c', 2), reason: 'mention' as const },
    entry('critical', 'chn_a', 1, { importance: 'critical' }),
    { reason: 'mention' as const, message: aQuestionMessage({}, { id: 'question', to: 'chn_d', seq: 1 }) },
  ];
  const groups = inboxGroups(entries, me);
  expect(groups.map((group) => group.entries.map((one) => one.message.id))).toEqual([
    ['question'],
    ['later mention', 'mention'],
    ['critical', 'plain'],
    ['high'],
  ]);
  expect(groups[2]?.newest.message.id).toBe('plain');
});

test('only an open question to the reader is blocking', () => {
  const weight = (question: Parameters<typeof aQuestionMessage>[0]) =>
    priorityOf({ reason: 'mention', message: aQuestionMessage(question) }, me);
  expect(weight({})).toBe('blocking');
  expect(weight({ state: 'expired' })).toBe('mention');
  expect(weight({ addressees: ['per_tobias'] })).toBe('mention');
});

test('the reason is shown as text', () => {
  expect(priorityText('blocking', { reason: 'mention' })).toBe('needs your answer');
  expect(priorityText('high', { reason: 'dm' })).toBe('high');
  expect(priorityText('plain', { reason: 'dm' })).toBe('direct message');
});
