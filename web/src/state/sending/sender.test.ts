import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PostedMessage, PostMessage } from '../../api/model';
import { Refusal, unreachable } from '../../api/refusal';
import type { Outgoing } from '../contract';
import { aMessage } from '../testing/fixtures';
import { deferred, flushMicrotasks, sharedStorage } from '../testing/tools';
import { OutboxStore } from './outbox_store';
import { Sender, type SenderParts } from './sender';

function outgoing(id: string, at: number, conversationId = 'chn_1'): Outgoing {
  const words = { body: id, importance: 'normal', blocking: false, attachments: [] } as const;
  return { id, projectId: 'prj_1', conversationId, status: { state: 'waiting' }, at, ...words };
}

const posted = (id: string): PostedMessage => ({ ...aMessage({ id }), position: 'A-1', mention_problems: [] });

describe('the sender', () => {
  let sent: string[];
  let arrived: string[];
  let outbox: OutboxStore;
  let sender: Sender;
  let answer: (id: string) => Promise<PostedMessage>;
  let lock: Promise<void>;
  let isReachable: boolean;
  const storage = () => shared.tab();
  let shared = sharedStorage();
  const statuses = () => outbox.all().map(({ status }) => status.state);

  /** One tab with its own outbox and sender; all tabs share a lock. */
  function tab(): { outbox: OutboxStore; sender: Sender } {
    const mine = new OutboxStore(storage(), 'per_1', () => self.wake());
    const parts: SenderParts = {
      post: (message: Partial<PostMessage>) => {
        sent.push(message.id ?? '');
        return answer(message.id ?? '');
      },
      onPosted: async ({ id }) => {
        arrived.push(id);
        mine.drop(id);
      },
      exclusively(act) {
        lock = lock.then(act);
        return lock;
      },
      isReachable: () => isReachable,
      random: () => 1,
    };
    const self = new Sender(mine, parts);
    return { outbox: mine, sender: self };
  }

  beforeEach(() => {
    vi.useFakeTimers();
    [sent, arrived, lock, shared, isReachable] = [[], [], Promise.resolve(), sharedStorage(), true];
    answer = async (id) => posted(id);
    ({ outbox, sender } = tab());
  });
  afterEach(() => {
    sender.stop();
    vi.useRealTimers();
  });

  it('sends in order, one after the other', async () => {
    const first = deferred<PostedMessage>();
    answer = (id) => (id === 'msg_1' ? first.promise : Promise.resolve(posted(id)));
    outbox.put(outgoing('msg_1', 1));
    outbox.put(outgoing('msg_2', 2));
    sender.start();
    await flushMicrotasks();
    expect([sent, statuses()]).toEqual([['msg_1'], ['sending', 'waiting']]);
    first.resolve(posted('msg_1'));
    await flushMicrotasks();
    expect([sent, arrived, statuses()]).toEqual([['msg_1', 'msg_2'], ['msg_1', 'msg_2'], []]);
  });

  it('sends nothing before it starts and after it stops', async () => {
    outbox.put(outgoing('msg_1', 1));
    sender.wake();
    await flushMicrotasks();
    expect(sent).toEqual([]);
    sender.start();
    sender.stop();
    await flushMicrotasks();
    expect(sent).toEqual([]);
  });

  it('retries with growing delays while the hub is unreachable, and at once when it is back', async () => {
    answer = () => Promise.reject(unreachable());
    outbox.put(outgoing('msg_1', 1));
    outbox.put(outgoing('msg_2', 2, 'chn_2'));
    sender.start();
    await flushMicrotasks();
    expect([sent, statuses()]).toEqual([['msg_1'], ['waiting', 'waiting']]);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.advanceTimersByTimeAsync(1_999);
    expect(sent).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(3);
    answer = async (id) => posted(id);
    sender.wake();
    await flushMicrotasks();
    expect(arrived).toEqual(['msg_1', 'msg_2']);
  });

  it('does not try while offline', async () => {
    isReachable = false;
    outbox.put(outgoing('msg_1', 1));
    sender.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([sent, statuses()]).toEqual([[], ['waiting']]);
    isReachable = true;
    sender.wake();
    await flushMicrotasks();
    expect(arrived).toEqual(['msg_1']);
  });

  it('waits as long as the hub asks for', async () => {
    const busy = new Refusal('PARLOUR-S04', 'Too fast.', { status: 429, retryAfterSeconds: 8 });
    answer = () => Promise.reject(busy);
    outbox.put(outgoing('msg_1', 1));
    sender.start();
    await vi.advanceTimersByTimeAsync(7_999);
    expect(sent).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toHaveLength(2);
  });

  it('keeps a refused message with its reason, and goes on with the next', async () => {
    const refusal = new Refusal('PARLOUR-I02', 'Too long.', { status: 400 });
    answer = (id) => (id === 'msg_1' ? Promise.reject(refusal) : Promise.resolve(posted(id)));
    outbox.put(outgoing('msg_1', 1));
    outbox.put(outgoing('msg_2', 2));
    sender.start();
    await flushMicrotasks();
    expect([arrived, outbox.get('msg_1')?.status]).toEqual([['msg_2'], { state: 'refused', refusal }]);
    await vi.advanceTimersByTimeAsync(100_000);
    expect(sent).toEqual(['msg_1', 'msg_2']);
  });

  it('an error in one conversation does not delay another', async () => {
    const fault = new Refusal('PARLOUR-S01', 'A fault.', { status: 500 });
    answer = (id) => (id === 'msg_1' ? Promise.reject(fault) : Promise.resolve(posted(id)));
    outbox.put(outgoing('msg_1', 1));
    outbox.put(outgoing('msg_2', 2));
    outbox.put(outgoing('msg_3', 3, 'chn_2'));
    sender.start();
    await flushMicrotasks();
    expect(sent).toEqual(['msg_1', 'msg_3']);
  });

  it('sends each message from one tab only', async () => {
    const slow = deferred<void>();
    answer = (id) => slow.promise.then(() => posted(id));
    const other = tab();
    sender.start();
    other.sender.start();
    outbox.put(outgoing('msg_1', 1));
    sender.wake();
    other.sender.wake();
    await flushMicrotasks();
    slow.resolve();
    await flushMicrotasks(60);
    expect([sent, outbox.all(), other.outbox.all()]).toEqual([['msg_1'], [], []]);
    other.sender.stop();
  });

  it('does not send what another tab has sent, though its notice is late', async () => {
    const other = tab();
    other.outbox.put(outgoing('msg_1', 1));
    outbox.close();
    other.outbox.drop('msg_1');
    expect(statuses()).toEqual(['waiting']);
    sender.start();
    await flushMicrotasks();
    expect([sent, statuses()]).toEqual([[], []]);
  });

  it('sends messages that another tab left behind', async () => {
    const other = tab();
    other.outbox.put(outgoing('msg_1', 1));
    sender.start();
    await flushMicrotasks();
    expect(arrived).toEqual(['msg_1']);
  });
});
