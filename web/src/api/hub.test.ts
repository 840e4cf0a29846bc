import { describe, expect, it, vi } from 'vitest';
import type { Client } from './client';
import { addressOf, createHub, LIST_PAGES_MAX, pathSegmentOf } from './hub';

function hubOf(answer: (path: string) => unknown) {
  const call = vi.fn(async (_method: string, path: string) => answer(path));
  return { hub: createHub({ call, note: () => {} } as unknown as Client), call };
}

describe('the hub', () => {
  it('reads the history at the route of the kind of conversation', async () => {
    const { hub, call } = hubOf(() => ({ items: [] }));
    await hub.history('thr_1', { before: 7, limit: 200 });
    expect(call).toHaveBeenCalledWith('GET', '/threads/thr_1/messages?before=7&limit=200');
  });

  it('encodes ids and special characters in paths', async () => {
    const { hub, call } = hubOf(() => ({}));
    await hub.react('msg_1', '👍/../x');
    expect(call).toHaveBeenCalledWith('PUT', '/messages/msg_1/reactions/%F0%9F%91%8D%2F..%2Fx');
  });

  it('reads a list page by page', async () => {
    const { hub } = hubOf((path) => (path.includes('cursor=b') ? { items: [2] } : { items: [1], next: 'b' }));
    expect(await hub.people()).toEqual([1, 2]);
  });

  it('stops reading a list that never ends', async () => {
    const { hub, call } = hubOf(() => ({ items: [1], next: 'more' }));
    expect(await hub.people()).toHaveLength(LIST_PAGES_MAX);
    expect(call).toHaveBeenCalledTimes(LIST_PAGES_MAX);
  });
});

it('the id of a conversation determines its kind', () => {
  expect(['chn_1', 'thr_1', 'dm_1'].map(pathSegmentOf)).toEqual(['channels', 'threads', 'dms']);
  expect(['chn_1', 'thr_1', 'dm_1'].map(addressOf)).toEqual([
    { channel_id: 'chn_1' },
    { thread_id: 'thr_1' },
    { dm_id: 'dm_1' },
  ]);
});
