import { createRoot } from 'solid-js';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeServer } from '../testing/fake_server';
import { turns } from '../testing/tools';
import { TIMELINES_MAX, Timelines } from './message_lists';
import { Streams } from './streams';

describe('timelines', () => {
  let server: FakeServer;
  let timelines: Timelines;
  beforeEach(() => {
    server = new FakeServer();
    server.isQuick = true;
    const surroundings = { outbox: () => [], unreadAfter: () => undefined, ready: () => Promise.resolve() };
    timelines = new Timelines({ hub: server.hub, streams: new Streams(), ...surroundings });
  });
  const lookAtMany = () => {
    for (let index = 0; index < TIMELINES_MAX; index += 1) timelines.get(`chn_${index}`);
  };

  it('are shared by all who look at a conversation', () => {
    expect(timelines.get('chn_1')).toBe(timelines.get('chn_1'));
  });

  it('are let go when many others were looked at since', () => {
    const first = timelines.get('chn_first');
    lookAtMany();
    expect(timelines.peek('chn_first')).toBeUndefined();
    expect(timelines.get('chn_first')).not.toBe(first);
  });

  it('stay as long as a component looks', () => {
    const dispose = createRoot((end) => {
      timelines.get('chn_first');
      return end;
    });
    lookAtMany();
    expect(timelines.peek('chn_first')).toBeDefined();
    dispose();
    timelines.get('chn_new');
    expect(timelines.peek('chn_first')).toBeUndefined();
  });

  it('get the events of their own conversation only', async () => {
    const [general, release] = [timelines.get('chn_general'), timelines.get('chn_release')];
    await turns();
    server.post({ to: 'chn_release' });
    for (const told of server.told) if ('event' in told) timelines.take(told.event);
    expect([general.ids(), release.ids()]).toEqual([[], ['msg_chn_release_1']]);
    expect(timelines.find('msg_chn_release_1')?.seq).toBe(1);
  });

  it('of another project are let go, those that wait are not', async () => {
    server.post();
    timelines.get('chn_general');
    await turns();
    timelines.get('chn_new');
    timelines.begin('prj_2');
    expect([timelines.peek('chn_general'), timelines.peek('chn_new') !== undefined]).toEqual([undefined, true]);
  });
});
