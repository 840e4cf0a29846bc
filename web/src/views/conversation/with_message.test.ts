import { expect, test } from 'vitest';
import { aMessage, fixedMessageList } from '../../state/testing/fixtures';
import { withMessage } from './with_message';

test('a message list with one additional message', () => {
  const loaded = aMessage({ id: 'msg_loaded' });
  const step = { id: 's1', name: 'grep', started_at: '' };
  const root = aMessage({ id: 'msg_root', steps: [step] });
  const messageList = withMessage(fixedMessageList([loaded]), () => root);
  expect(messageList.message('msg_root')).toBe(root);
  expect(messageList.steps('msg_root')).toEqual([step]);
  expect(messageList.message('msg_loaded')).toBe(loaded);
  expect(messageList.message('msg_other')).toBeUndefined();
  expect(messageList.ids()).toEqual(['msg_loaded']);
});
