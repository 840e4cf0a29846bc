import { expect, test } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage } from '../../state/testing/fixtures';
import { isLoopGuardStop, isStopResolved } from './loop_guard';

const host = (what?: string): Message =>
  aMessage({
    from: { type: 'host', name: 'Parlour' },
    kind: 'host',
    ...(what ? { content: { loop_guard: { what, rule: 'depth', agents: [] } } } : {}),
  });
const ofAgent = aMessage({ from: { type: 'agent', id: 'agt_coder', name: 'Coder' }, kind: 'assistant' });

test('a host message reports a stop', () => {
  expect([host('tripped'), host('reset'), host()].map(isLoopGuardStop)).toEqual([true, false, false]);
});

test('messages of other authors are not recognised as a stop', () => {
  expect(isLoopGuardStop({ ...host('tripped'), from: { type: 'agent', name: 'Coder' } })).toBe(false);
  expect(isLoopGuardStop({ ...host('tripped'), kind: 'assistant' })).toBe(false);
  expect(isLoopGuardStop({ ...host('tripped'), from: { type: 'host', id: 'pynchy:hub', name: 'Parlour' } })).toBe(
    false,
  );
});

test.each<[string, (Message | undefined)[], boolean]>([
  ['nothing came after it', [], false],
  ['agents went on', [ofAgent, undefined], false],
  ['the hub said something else', [host()], false],
  ['another stop came', [host('tripped')], true],
  ['a person spoke', [ofAgent, aMessage()], true],
  ['a person of another system spoke', [aMessage({ from: { type: 'person', id: 'pynchy:1', name: 'Mara' } })], false],
  ['somebody lifted it', [host('reset')], true],
])('when %s, the stop is settled: %#', (_, later, settled) => {
  expect(isStopResolved(later)).toBe(settled);
});
