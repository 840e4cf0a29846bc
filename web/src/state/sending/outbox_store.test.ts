import { describe, expect, it, vi } from 'vitest';
import type { Outgoing } from '../contract';
import { sharedStorage } from '../testing/tools';
import { OutboxStore } from './outbox_store';

function outgoing(id: string, at = 1): Outgoing {
  const words = { body: id, importance: 'normal', blocking: false, attachments: [] } as const;
  return { id, projectId: 'prj_1', conversationId: 'chn_1', status: { state: 'waiting' }, at, ...words };
}
const ids = (store: OutboxStore) => store.all().map(({ id }) => id);

describe('the outbox of a member', () => {
  it('is there again after a reload, for that member', () => {
    const { tab } = sharedStorage();
    const before = new OutboxStore(tab(), 'per_1');
    before.put(outgoing('msg_b', 2));
    before.put(outgoing('msg_a', 1));
    before.setStatus('msg_a', { state: 'sending' });
    expect(ids(new OutboxStore(tab(), 'per_1'))).toEqual(['msg_a', 'msg_b']);
    expect(new OutboxStore(tab(), 'per_1').get('msg_a')?.status.state).toBe('waiting');
    expect(ids(new OutboxStore(tab(), 'per_2'))).toEqual([]);
  });

  it('is the same in all tabs', () => {
    const { tab } = sharedStorage();
    const onOthers = vi.fn();
    const [here, there] = [new OutboxStore(tab(), 'per_1'), new OutboxStore(tab(), 'per_1', onOthers)];
    here.put(outgoing('msg_a'));
    there.put(outgoing('msg_b', 2));
    expect([ids(here), ids(there)]).toEqual([
      ['msg_a', 'msg_b'],
      ['msg_a', 'msg_b'],
    ]);
    here.drop('msg_a');
    expect([ids(there), there.isStored('msg_a'), onOthers.mock.calls.length]).toEqual([['msg_b'], false, 2]);
    there.close();
    here.drop('msg_b');
    expect(ids(there)).toEqual(['msg_b']);
  });

  it('does not restore messages that have arrived', () => {
    const store = new OutboxStore(sharedStorage().tab(), 'per_1');
    store.put(outgoing('msg_a'));
    store.drop('msg_a');
    store.setStatus('msg_a', { state: 'waiting' });
    expect([ids(store), store.isStored('msg_a'), store.drop('msg_a')]).toEqual([[], false, undefined]);
  });

  it('keeps messages in memory when the browser refuses to store them', () => {
    const store = new OutboxStore({ ...sharedStorage().tab(), set: () => false }, 'per_1');
    store.put(outgoing('msg_a'));
    expect([ids(store), store.isStored('msg_a')]).toEqual([['msg_a'], true]);
    store.drop('msg_a');
    expect(store.isStored('msg_a')).toBe(false);
  });
});
