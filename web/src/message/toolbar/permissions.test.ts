import { expect, test } from 'vitest';
import type { Me, Message } from '../../api/model';
import { aChannel, aMessage, aSnapshot } from '../../state/testing/fixtures';
import { permissionsFor } from './permissions';

const tobias: Me = { member_id: 'per_tobias', name: 'Tobias', role: 'person', scopes: [] };
const mara: Me = { member_id: 'per_mara', name: 'Mara', role: 'person', scopes: [] };
const allowed = (message: Message, me: Me, snapshot = aSnapshot()) =>
  Object.entries(permissionsFor(message, me, snapshot)).flatMap(([name, may]) => (may ? [name] : []));

test('the author edits and removes', () => {
  expect(allowed(aMessage(), mara)).toEqual(['thread', 'quote', 'react', 'edit', 'remove']);
});

test('others answer and react', () => {
  expect(allowed(aMessage(), tobias)).toEqual(['thread', 'quote', 'react']);
});

test('the owner of the project removes what others wrote', () => {
  const message = aMessage({ from: { type: 'agent', id: 'agt_coder', name: 'Coder' }, kind: 'assistant' });
  expect(allowed(message, mara)).toEqual(['thread', 'quote', 'react', 'remove']);
});

test('a thread has no threads', () => {
  expect(allowed(aMessage({ type: 'thread', to: 'thr_1' }), tobias)).toEqual(['quote', 'react']);
});

test('an answer that is being written can be stopped, not edited', () => {
  expect(allowed(aMessage({ state: 'streaming' }), tobias)).toEqual(['thread', 'quote', 'react', 'stop']);
  expect(allowed(aMessage({ state: 'streaming' }), mara)).not.toContain('edit');
});

test('an archived channel is read-only', () => {
  const archived = aChannel('chn_general', 'general', { archived_at: '2026-03-02T09:12:00.000Z' });
  expect(allowed(aMessage(), tobias, aSnapshot({ channels: [archived] }))).toEqual([]);
});

test('removed and outgoing messages have no actions', () => {
  expect(allowed(aMessage({ removed_at: '2026-03-02T09:12:00.000Z' }), mara)).toEqual([]);
  expect(allowed(aMessage({ seq: 0 }), mara)).toEqual([]);
});
