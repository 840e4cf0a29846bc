import { describe, expect, it } from 'vitest';
import { aChannel, aSnapshot } from '../../state/testing/fixtures';
import { conversationsInOrder, openConversation, stepFrom, threadsUnreadFirst } from './conversation_order';

const AT = '2026-03-02T09:12:00.000Z';
const thread = (id: string) => ({
  id,
  project_id: 'prj_1',
  channel_id: 'chn_b',
  root_message_id: `msg_${id}`,
  created_by: 'per_mara',
  created_at: AT,
});
const reading = (conversation_id: string, unread: number) => ({
  conversation_id,
  last_seq: 9,
  read_seq: 9 - unread,
  unread,
  mentions: [],
});

const snapshot = aSnapshot({
  channels: [aChannel('chn_b', 'beta'), aChannel('chn_a', 'alpha'), aChannel('chn_c', 'old', { archived_at: AT })],
  threads: [thread('thr_1'), thread('thr_2'), thread('thr_3')],
  dms: [{ id: 'dm_1', project_id: 'prj_1', participants: ['agt_coder', 'per_mara'], created_at: AT }],
  reading: [reading('thr_1', 2), reading('thr_2', 0), reading('thr_3', 0), reading('chn_a', 0), reading('dm_1', 1)],
});
const entries = conversationsInOrder(snapshot);

describe('the order of conversations', () => {
  it('is that of the sidebar: channels by name, unread threads first, dms; nothing archived', () => {
    expect(entries.map((entry) => entry.id)).toEqual(['chn_a', 'chn_b', 'thr_1', 'thr_3', 'thr_2', 'dm_1']);
  });

  it('opens a thread in the pane beside its channel', () => {
    expect(entries[2]?.route).toEqual({
      view: 'conversation',
      projectId: 'prj_1',
      conversationId: 'chn_b',
      pane: { kind: 'thread', id: 'thr_1' },
    });
  });

  it('contains only threads that the reader follows', () => {
    const foreign = { ...thread('thr_9'), created_by: 'per_tobias' };
    expect(threadsUnreadFirst(aSnapshot({ threads: [foreign] }))).toEqual([]);
  });
});

describe('a step from the open conversation', () => {
  it('goes around both ends', () => {
    expect(stepFrom(entries, 'chn_a', 1, 'all')?.id).toBe('chn_b');
    expect(stepFrom(entries, 'chn_a', -1, 'all')?.id).toBe('dm_1');
    expect(stepFrom(entries, 'dm_1', 1, 'all')?.id).toBe('chn_a');
  });

  it('starts at an end when nothing of the list is open', () => {
    expect(stepFrom(entries, undefined, 1, 'all')?.id).toBe('chn_a');
    expect(stepFrom(entries, undefined, -1, 'all')?.id).toBe('dm_1');
  });

  it('skips read conversations when only unread ones are requested', () => {
    expect(stepFrom(entries, 'chn_a', 1, 'unread')?.id).toBe('thr_1');
    expect(stepFrom(entries, 'thr_1', 1, 'unread')?.id).toBe('dm_1');
  });

  it('leads nowhere when there is no other', () => {
    expect(stepFrom([], undefined, 1, 'all')).toBeUndefined();
    expect(stepFrom(entries.slice(0, 1), 'chn_a', 1, 'all')).toBeUndefined();
    expect(stepFrom(entries.slice(0, 2), 'chn_a', 1, 'unread')).toBeUndefined();
  });
});

describe('the open conversation', () => {
  it('is the thread in the pane, otherwise the one in the middle', () => {
    const here = { view: 'conversation', projectId: 'prj_1', conversationId: 'chn_b' } as const;
    expect(openConversation(here)).toBe('chn_b');
    expect(openConversation({ ...here, pane: { kind: 'thread', id: 'thr_1' } })).toBe('thr_1');
    expect(openConversation({ view: 'settings' })).toBeUndefined();
  });
});
