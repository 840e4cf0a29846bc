import { createEffect, createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreachable } from '../../api/refusal';
import type { Outgoing } from '../contract';
import { FakeServer } from '../testing/fake_server';
import { deferred, flushMicrotasks } from '../testing/tools';
import { EVENT_BUFFER_MAX } from './event_buffer';
import { LiveMessageList } from './live_message_list';
import { Streams } from './streams';

const CONVERSATION = 'chn_general';

describe('a message list', () => {
  let server: FakeServer;
  let streams: Streams;
  let messageList: LiveMessageList;
  let isReady: ReturnType<typeof deferred<void>>;
  let unreadAfter: number | undefined;
  const [outbox, setOutbox] = createSignal<readonly Outgoing[]>([]);
  let disposers: (() => void)[] = [];
  const seqs = () => messageList.ids().map((id) => messageList.peek(id)?.seq);
  const answer = () => server.answerAll(flushMicrotasks);

  beforeEach(() => {
    server = new FakeServer();
    streams = new Streams();
    isReady = deferred<void>();
    unreadAfter = undefined;
    setOutbox([]);
    messageList = new LiveMessageList(CONVERSATION, {
      hub: server.hub,
      streams,
      outbox,
      unreadAfter: () => unreadAfter,
      ready: () => isReady.promise,
    });
  });
  afterEach(() => {
    for (const dispose of disposers) dispose();
    disposers = [];
    messageList.dispose();
  });

  /** Loads it, with so many messages. */
  async function load(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) server.post();
    isReady.resolve();
    await answer();
  }
  /** Counts how often a reader of a signal runs. */
  function runsOf(read: () => unknown): () => number {
    let runs = 0;
    disposers.push(
      createRoot((dispose) => {
        createEffect(() => {
          read();
          runs += 1;
        });
        return dispose;
      }),
    );
    return () => runs;
  }
  const tellLast = () => {
    const frame = server.sentFrames.at(-1);
    if (frame && 'event' in frame) messageList.take(frame.event);
  };

  it('waits for the snapshot, then loads the newest page', async () => {
    server.post();
    await flushMicrotasks();
    expect([messageList.loading(), server.requests.length]).toEqual([true, 0]);
    await load(1);
    expect([messageList.loading(), seqs(), messageList.older(), messageList.newer()]).toEqual([
      false,
      [1, 2],
      'reached',
      'reached',
    ]);
  });

  it('loads older pages up to the first message, one at a time', async () => {
    server.pageMax = 3;
    await load(7);
    expect([seqs(), messageList.older()]).toEqual([[5, 6, 7], 'more']);
    void messageList.loadOlder();
    void messageList.loadOlder();
    expect([messageList.older(), server.requests.length]).toEqual(['loading', 1]);
    await answer();
    await Promise.all([messageList.loadOlder(), answer()]);
    expect([seqs(), messageList.older()]).toEqual([[1, 2, 3, 4, 5, 6, 7], 'reached']);
    await messageList.loadOlder();
    expect(server.requests).toEqual([]);
  });

  it('keeps edits that arrive while their page is loading', async () => {
    server.pageMax = 2;
    await load(4);
    void messageList.loadOlder();
    server.requests[0]?.read();
    server.edit('msg_chn_general_1', 'edited meanwhile');
    tellLast();
    await answer();
    expect(messageList.peek('msg_chn_general_1')?.body).toBe('edited meanwhile');
  });

  it('neither loses nor repeats messages that are posted while it loads', async () => {
    server.post();
    isReady.resolve();
    await flushMicrotasks();
    server.requests[0]?.read();
    server.post();
    tellLast();
    await answer();
    expect(seqs()).toEqual([1, 2]);
    tellLast();
    expect(seqs()).toEqual([1, 2]);
  });

  it('reads again when more happened meanwhile than it can remember', async () => {
    server.pageMax = 2;
    await load(4);
    void messageList.loadOlder();
    server.requests[0]?.read();
    server.edit('msg_chn_general_1', 'edited and forgotten');
    tellLast();
    server.edit('msg_chn_general_4', 'again and again');
    for (let index = 0; index < EVENT_BUFFER_MAX; index += 1) tellLast();
    await answer();
    expect(messageList.peek('msg_chn_general_1')?.body).toBe('edited and forgotten');
  });

  it('reads what is missing when an event leaves something out', async () => {
    server.pageMax = 2;
    await load(1);
    for (let index = 0; index < 6; index += 1) server.post();
    tellLast();
    expect(seqs()).toEqual([1]);
    const whole = messageList.whole();
    await answer();
    await whole;
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('loads around a message, half before and half after', async () => {
    server.pageMax = 2;
    await load(9);
    const isThere = messageList.loadAround('msg_chn_general_4');
    await answer();
    expect([await isThere, seqs(), messageList.older(), messageList.newer()]).toEqual([
      true,
      [3, 4, 5, 6],
      'more',
      'more',
    ]);
    await Promise.all([messageList.loadNewer(), answer()]);
    expect(seqs()).toEqual([3, 4, 5, 6, 7, 8]);
    server.post();
    tellLast();
    expect(seqs()).toEqual([3, 4, 5, 6, 7, 8]);
    await Promise.all([messageList.loadNewest(), answer()]);
    expect([seqs(), messageList.newer()]).toEqual([[9, 10], 'reached']);
  });

  it('loads only the range around a linked message', async () => {
    server.pageMax = 2;
    for (let index = 0; index < 9; index += 1) server.post();
    const isThere = messageList.loadAround('msg_chn_general_1');
    isReady.resolve();
    await flushMicrotasks();
    expect(server.requests.map(({ what }) => what)).toEqual(['message msg_chn_general_1']);
    await answer();
    expect([await isThere, seqs()]).toEqual([true, [1, 2, 3]]);
  });

  it('shows the newest when the message of a link is not here', async () => {
    server.post();
    server.post({ to: 'chn_release' });
    const isThere = messageList.loadAround('msg_chn_release_1');
    isReady.resolve();
    await answer();
    expect([await isThere, seqs(), messageList.loading()]).toEqual([false, [1], false]);
  });

  it('keeps the requested range over a refresh', async () => {
    server.pageMax = 2;
    for (let index = 0; index < 9; index += 1) server.post();
    isReady.resolve();
    const isThere = messageList.loadAround('msg_chn_general_3');
    await flushMicrotasks();
    void messageList.refresh();
    await answer();
    expect([await isThere, seqs()]).toEqual([true, [2, 3, 4, 5]]);
  });

  it('reads again what is loaded, as far as it is loaded', async () => {
    server.pageMax = 3;
    await load(8);
    await Promise.all([messageList.loadOlder(), answer()]);
    server.edit('msg_chn_general_5', 'changed unheard');
    server.post();
    await Promise.all([messageList.refresh(), answer()]);
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(messageList.peek('msg_chn_general_5')?.body).toBe('changed unheard');
  });

  it('reports why nothing is loaded, and retries when the hub is back', async () => {
    const { history } = server.hub;
    server.hub.history = () => Promise.reject(unreachable());
    await load(1);
    expect([messageList.loading(), messageList.failed()?.isUnreachable]).toEqual([false, true]);
    server.hub.history = history;
    messageList.catchUp();
    await answer();
    expect([messageList.failed(), seqs()]).toEqual([undefined, [1]]);
  });

  it('reports a failed page, and loads it on request', async () => {
    server.pageMax = 1;
    await load(2);
    const { history } = server.hub;
    server.hub.history = () => Promise.reject(unreachable());
    await messageList.loadOlder();
    expect(messageList.older()).toBe('failed');
    server.hub.history = history;
    await Promise.all([messageList.loadOlder(), answer()]);
    expect(messageList.older()).toBe('reached');
  });

  it('runs only the readers of the message that changed', async () => {
    await load(3);
    const [first, second, ids] = [
      runsOf(() => messageList.message('msg_chn_general_1')),
      runsOf(() => messageList.message('msg_chn_general_2')),
      runsOf(() => messageList.ids()),
    ];
    server.edit('msg_chn_general_2', 'two');
    tellLast();
    expect([first(), second(), ids()]).toEqual([1, 2, 1]);
    server.post();
    tellLast();
    expect([first(), second(), ids()]).toEqual([1, 2, 2]);
  });

  it('shows outgoing messages last, with their final id', async () => {
    await load(1);
    const one = outgoing('msg_mine');
    setOutbox([one, { ...one, id: 'msg_elsewhere', conversationId: 'chn_release' }]);
    expect([messageList.ids(), messageList.outgoing('msg_mine')]).toEqual([['msg_chn_general_1', 'msg_mine'], one]);
    const ids = runsOf(() => messageList.ids());
    server.post({ id: 'msg_mine' });
    tellLast();
    setOutbox([]);
    expect([messageList.outgoing('msg_mine'), messageList.message('msg_mine')?.seq, ids()]).toEqual([undefined, 2, 1]);
  });

  it('grows a text without running the readers of its message', async () => {
    await load(0);
    const { id } = server.post({ state: 'streaming', body: '' });
    tellLast();
    const [runs, texts] = [runsOf(() => messageList.message(id)), [] as string[]];
    messageList.growing(id)?.listen((text) => texts.push(text));
    streams.grow({ message_id: id, conversation_id: CONVERSATION, start: 0, text: 'He' });
    streams.grow({ message_id: id, conversation_id: CONVERSATION, start: 2, text: 'llo' });
    expect([runs(), texts, messageList.message(id)?.body]).toEqual([1, ['He', 'Hello'], '']);
    streams.step(id, { id: 's1', name: 'grep', started_at: '' });
    expect(messageList.steps(id)).toHaveLength(1);
    server.finish(id);
    tellLast();
    expect([messageList.growing(id), messageList.steps(id), runs()]).toEqual([undefined, [], 2]);
  });

  it('remembers the read position at opening', async () => {
    unreadAfter = 1;
    await load(2);
    expect(messageList.readAtOpening()).toBe(1);
    unreadAfter = undefined;
    expect(messageList.readAtOpening()).toBe(1);
    messageList.open();
    expect(messageList.readAtOpening()).toBeUndefined();
  });
});

function outgoing(id: string): Outgoing {
  const words = { body: 'Hi', importance: 'normal', blocking: false, attachments: [], at: 1 } as const;
  return { id, projectId: 'prj_1', conversationId: CONVERSATION, status: { state: 'waiting' }, ...words };
}
