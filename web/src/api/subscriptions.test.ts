import { beforeEach, describe, expect, it } from 'vitest';
import { FOLLOWED_MAX, Subscriptions } from './subscriptions';

type Sent = { type: string; ref?: string; project_id: string; after?: string; events_only?: boolean };

describe('subscriptions', () => {
  let sent: Sent[];
  let subscriptions: Subscriptions;
  const asks = () => sent.map(({ ref: _, ...frame }) => frame);
  const confirmAll = () => {
    for (const { ref } of sent) subscriptions.confirm(ref);
  };

  beforeEach(() => {
    sent = [];
    subscriptions = new Subscriptions((frame) => {
      sent.push(frame as Sent);
      return true;
    });
  });

  it('are sent when the connection opens, the main one with its position', () => {
    subscriptions.followMain('prj_1', 'A-7');
    subscriptions.followOthers(['prj_2']);
    expect(sent).toEqual([]);
    subscriptions.begin();
    expect(asks()).toEqual([
      { type: 'subscribe', project_id: 'prj_1', after: 'A-7' },
      { type: 'subscribe', project_id: 'prj_2', events_only: true },
    ]);
  });

  it('resume after the last received position', () => {
    subscriptions.followMain('prj_1', 'A-7');
    subscriptions.begin();
    confirmAll();
    subscriptions.accepts('prj_1', 'A-9');
    subscriptions.pause();
    sent = [];
    subscriptions.begin();
    expect(asks()).toEqual([{ type: 'subscribe', project_id: 'prj_1', after: 'A-9' }]);
  });

  it('accept nothing before the newest subscription is confirmed: an older one may skip events', () => {
    subscriptions.followOthers(['prj_1']);
    subscriptions.begin();
    confirmAll();
    expect(subscriptions.accepts('prj_1', 'A-20')).toBe(true);
    subscriptions.followMain('prj_1', 'A-7');
    expect(subscriptions.accepts('prj_1', 'A-21')).toBe(false);
    expect(asks().slice(1)).toEqual([
      { type: 'unsubscribe', project_id: 'prj_1' },
      { type: 'subscribe', project_id: 'prj_1', after: 'A-7' },
    ]);
    confirmAll();
    expect(subscriptions.accepts('prj_1', 'A-8')).toBe(true);
  });

  it('accept nothing of projects that are not followed', () => {
    subscriptions.begin();
    expect(subscriptions.accepts('prj_9')).toBe(false);
  });

  it('end for the previous project', () => {
    subscriptions.followMain('prj_1', 'A-1');
    subscriptions.begin();
    confirmAll();
    subscriptions.followMain('prj_2', 'B-1');
    expect(subscriptions.accepts('prj_1')).toBe(false);
    expect(asks()).toContainEqual({ type: 'unsubscribe', project_id: 'prj_1' });
  });

  it('are not more than the hub allows', () => {
    subscriptions.followMain('prj_main', 'A-1');
    subscriptions.followOthers(Array.from({ length: 80 }, (_, index) => `prj_${index}`));
    subscriptions.begin();
    expect(sent).toHaveLength(FOLLOWED_MAX);
  });

  it('return the refused project and stop following it', () => {
    subscriptions.followMain('prj_1', 'A-1');
    subscriptions.begin();
    expect(subscriptions.refuse(sent[0]?.ref)).toBe('prj_1');
    expect(subscriptions.refuse('other')).toBeUndefined();
    sent = [];
    subscriptions.begin();
    expect(sent).toEqual([]);
  });

  it('all end at sign-out', () => {
    subscriptions.followMain('prj_1', 'A-1');
    subscriptions.followOthers(['prj_2']);
    subscriptions.clear();
    subscriptions.begin();
    expect(sent).toEqual([]);
  });
});
