import { expect, it } from 'vitest';
import { aMessage, aQuestion, aQuestionMessage } from '../testing/fixtures';
import { asked, linked, reacted, unreacted } from './message_changes';

const mark = (member_id: string, emoji = '👍') => ({ message_id: 'msg_1', conversation_id: 'chn_1', emoji, member_id });

it('a reaction is counted once for each member and sign', () => {
  const once = reacted(aMessage(), mark('per_1'));
  expect(reacted(once, mark('per_1'))).toBe(once);
  const both = reacted(reacted(once, mark('per_2')), mark('per_1', '🎉'));
  expect(both.reactions).toEqual([
    { emoji: '👍', members: ['per_1', 'per_2'] },
    { emoji: '🎉', members: ['per_1'] },
  ]);
});

it('a removed message takes no reactions', () => {
  const gone = aMessage({ removed_at: '2026-03-02T09:12:00.000Z' });
  expect(reacted(gone, mark('per_1'))).toBe(gone);
});

it('a removed reaction leaves nothing behind', () => {
  const plain = aMessage();
  const both = reacted(reacted(plain, mark('per_1')), mark('per_2'));
  const one = unreacted(both, mark('per_1'));
  expect(one.reactions).toEqual([{ emoji: '👍', members: ['per_2'] }]);
  expect(unreacted(one, mark('per_2'))).toEqual(plain);
  expect(unreacted(plain, mark('per_2'))).toBe(plain);
});

it('a thread is linked to its root once', () => {
  const thread = { id: 'thr_1', project_id: 'p', channel_id: 'c', root_message_id: 'msg_1', created_at: '' };
  const root = linked(aMessage(), thread);
  expect(root.thread_id).toBe('thr_1');
  expect(linked(root, thread)).toBe(root);
});

it('a repeated question event, or one for a deleted message, changes nothing', () => {
  const mark = { message_id: 'msg_ask', conversation_id: 'chn_general', question: aQuestion({ state: 'answered' }) };
  const message = asked(aQuestionMessage(), mark);
  expect(message.question?.state).toBe('answered');
  expect(asked(message, structuredClone(mark))).toBe(message);
  const removed = aQuestionMessage({}, { removed_at: '2026-03-02T09:14:00.000Z' });
  expect(asked(removed, mark)).toBe(removed);
});
