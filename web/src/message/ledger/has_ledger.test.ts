import { expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage } from '../../state/testing/fixtures';
import { presentationOf } from '../presentation';
import { hasLedger } from './has_ledger';

const me = 'per_mara';
const names = (text: string) => text.includes('@Coder');
const followers = [{ channel_id: 'chn_release', agent_id: 'agt_coder' }];

function has(more: Partial<Message>): boolean {
  const message = aMessage(more);
  return hasLedger(message, presentationOf(message, me), message.from.id === me, followers, names);
}

test.each<[string, Partial<Message>]>([
  ['mentions somebody', { mentions: ['agt_coder'] }],
  ['is in a DM', { type: 'dm', to: 'dm_1' }],
  ['calls an agent without a name', { calls: ['agt_coder'] }],
  ['is in a channel that agents follow', { to: 'chn_release' }],
  ['is on its way and will mention somebody', { seq: 0, body: '@Coder look' }],
])('an own message has one when it %s', (_, more) => expect(has(more)).toBe(true));

test.each<[string, Partial<Message>]>([
  ['is for nobody', {}],
  ['only speaks of a name in the text', { body: '@Coder look', seq: 1 }],
  ['was removed', { mentions: ['agt_coder'], removed_at: '2026-03-02T09:13:00.000Z' }],
  ['is of another person', { mentions: ['per_mara'], from: { type: 'person', id: 'per_tobias', name: 'Tobias' } }],
  [
    'is an answer',
    { mentions: ['per_mara'], kind: 'assistant', from: { type: 'agent', id: 'agt_coder', name: 'Coder' } },
  ],
])('a message has none when it %s', (_, more) => expect(has(more)).toBe(false));

test('a message from an agent to an agent has one', () => {
  expect(has({ mentions: ['agt_reviewer'], from: { type: 'agent', id: 'agt_coder', name: 'Coder' } })).toBe(true);
});
