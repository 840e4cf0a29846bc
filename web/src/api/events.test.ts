import { expect, it } from 'vitest';
import { aMessage } from '../state/testing/fixtures';
import { conversationOfEvent, parsePosition } from './events';

it('a position has an epoch and an offset', () => {
  expect(parsePosition('4XQ0Z7-128')).toEqual({ epoch: '4XQ0Z7', offset: 128 });
  expect(parsePosition('4XQ0Z7EH.8KQ2M0TD-128')).toEqual({ epoch: '4XQ0Z7EH', offset: 128 });
});

it('an event about messages names their conversation', () => {
  const mark = { message_id: 'msg_1', conversation_id: 'dm_1', emoji: '👍', member_id: 'per_1' };
  expect(conversationOfEvent({ name: 'messaging.posted', data: aMessage({ to: 'thr_1' }) })).toBe('thr_1');
  expect(conversationOfEvent({ name: 'messaging.reacted', data: mark })).toBe('dm_1');
  expect(conversationOfEvent({ name: 'messaging.passed', data: {} as never })).toBeUndefined();
});
