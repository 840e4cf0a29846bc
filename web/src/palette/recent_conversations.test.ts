import { beforeEach, expect, test } from 'vitest';
import { recentConversations, rememberConversation } from './recent_conversations';

beforeEach(() => localStorage.clear());

test('the newest is first, and each is there once', () => {
  for (const id of ['chn_a', 'chn_b', 'chn_a']) rememberConversation(id);
  expect(recentConversations()).toEqual(['chn_a', 'chn_b']);
});

test('only so many are kept', () => {
  for (let index = 0; index < 30; index += 1) rememberConversation(`chn_${index}`);
  expect(recentConversations()).toHaveLength(20);
  expect(recentConversations()[0]).toBe('chn_29');
});

test('unreadable stored values are ignored', () => {
  localStorage.setItem('parlour.recent', '{"a": 1}');
  expect(recentConversations()).toEqual([]);
});
