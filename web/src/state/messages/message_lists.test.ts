import { createRoot } from 'solid-js';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeServer } from '../testing/fake_server';
import { flushMicrotasks } from '../testing/tools';
import { MESSAGE_LISTS_MAX, MessageLists } from './message_lists';
import { Streams } from './streams';

describe('message lists', () => {
  let server: FakeServer;
  let messageLists: MessageLists;
  beforeEach(() => {
    server = new FakeServer();
    server.isQuick = true;
    const surroundings = { outbox: () => [], unreadAfter: () => undefined, ready: () => Promise.resolve() };
    messageLists = new MessageLists({ hub: server.hub, streams: new Streams(), ...surroundings });
  });
  const lookAtMany = () => {
    for (let index = 0; index < MESSAGE_LISTS_MAX; index += 1) messageLists.get(`chn_${index}`);
  };

  it('are shared by all who look at a conversation', () => {
    expect(messageLists.get('chn_1')).toBe(messageLists.get('chn_1'));
  });

  it('are evicted when many others were used since', () => {
    const first = messageLists.get('chn_first');
    lookAtMany();
    expect(messageLists.peek('chn_first')).toBeUndefined();
    expect(messageLists.get('chn_first')).not.toBe(first);
  });

  it('stay as long as a component looks', () => {
    const dispose = createRoot((end) => {
      messageLists.get('chn_first');
      return end;
    });
    lookAtMany();
    expect(messageLists.peek('chn_first')).toBeDefined();
    dispose();
    messageLists.get('chn_new');
    expect(messageLists.peek('chn_first')).toBeUndefined();
  });

  it('get the events of their own conversation only', async () => {
    const [general, release] = [messageLists.get('chn_general'), messageLists.get('chn_release')];
    await flushMicrotasks();
    server.post({ to: 'chn_release' });
    for (const frame of server.sentFrames) if ('event' in frame) messageLists.take(frame.event);
    expect([general.ids(), release.ids()]).toEqual([[], ['msg_chn_release_1']]);
    expect(messageLists.find('msg_chn_release_1')?.seq).toBe(1);
  });

  it('of another project are dropped, pending ones are not', async () => {
    server.post();
    messageLists.get('chn_general');
    await flushMicrotasks();
    messageLists.get('chn_new');
    messageLists.begin('prj_2');
    expect([messageLists.peek('chn_general'), messageLists.peek('chn_new') !== undefined]).toEqual([undefined, true]);
  });
});
