import { describe, expect, it } from 'vitest';
import type { Change, LogEvent } from '../../api/events';
import type { Message, Snapshot, Thread } from '../../api/model';
import { aChannel, aMessage, anAgent, aPerson, aQuestion, aRun, aSnapshot } from '../testing/fixtures';
import { SNAPSHOT_ITEMS_MAX } from './lists';
import { reduce } from './reduce';
import { SNAPSHOT_MENTIONS_MAX } from './unread_counts';

const next = (snapshot: Snapshot, change: Change, more: Partial<LogEvent> = {}): LogEvent => {
  const offset = Number(snapshot.position.split('-')[1]) + 1;
  const frame = { position: `A0-${offset}`, project_id: 'prj_1', at: '', actor: { type: 'host', name: 'Hub' } };
  return { ...frame, ...change, ...more } as LogEvent;
};
const following = (snapshot: Snapshot, ...changes: Change[]): Snapshot =>
  changes.reduce((before, change) => {
    const applied = reduce(before, next(before, change));
    expect(applied.outcome).toBe('done');
    return applied.snapshot;
  }, snapshot);
const outcome = (snapshot: Snapshot, change: Change) => reduce(snapshot, next(snapshot, change)).outcome;
const posted = (seq: number, more: Partial<Message> = {}): Change => ({
  name: 'messaging.posted',
  data: aMessage({ id: `msg_${seq}`, seq, from: { type: 'person', id: 'per_tobias', name: 'Tobias' }, ...more }),
});
const thread = (id: string): Thread => ({
  ...{ id, project_id: 'prj_1', channel_id: 'chn_general' },
  ...{ root_message_id: 'msg_1', created_at: '' },
});

describe('an event', () => {
  it('is applied once, and moves the position', () => {
    const before = aSnapshot();
    const event = next(before, posted(1));
    const { snapshot } = reduce(before, event);
    expect(snapshot.position).toBe('A0-2');
    expect(reduce(snapshot, event)).toEqual({ snapshot, outcome: 'known' });
  });

  it('of another log or epoch is a gap', () => {
    const before = aSnapshot();
    expect(reduce(before, next(before, posted(1), { position: 'B0-9' })).outcome).toBe('hole');
    expect(reduce(before, next(before, posted(1), { project_id: 'prj_2' })).outcome).toBe('hole');
  });

  it('of a newer hub changes nothing but the position', () => {
    const before = aSnapshot();
    const change = { name: 'moons.landed', data: {} } as unknown as Change;
    expect(following(before, change)).toEqual({ ...before, position: 'A0-2' });
  });

  it('leaves the lists that it does not touch the same objects', () => {
    const before = aSnapshot();
    const later = following(before, posted(1));
    expect(later.reading).not.toBe(before.reading);
    for (const list of ['people', 'agents', 'channels', 'threads', 'dms', 'streams', 'tasks'] as const) {
      expect(later[list]).toBe(before[list]);
    }
  });
});

describe('people', () => {
  it('come, are renamed and go', () => {
    const come = following(aSnapshot(), { name: 'projects.person_added', data: aPerson('per_nia', 'Nia') });
    expect(come.people.map(({ name }) => name)).toEqual(['Mara', 'Nia', 'Tobias']);
    const renamed = following(come, { name: 'projects.person_updated', data: aPerson('per_nia', 'Nina') });
    expect(renamed.people.map(({ name }) => name)).toEqual(['Mara', 'Nina', 'Tobias']);
    const gone = following(renamed, { name: 'projects.person_removed', data: aPerson('per_nia', 'Nina') });
    expect(gone.people.map(({ name }) => name)).toEqual(['Mara', 'Tobias']);
  });

  it('the reader needs a new snapshot when they join, and has none when they leave', () => {
    expect(outcome(aSnapshot(), { name: 'projects.person_added', data: aPerson() })).toBe('reload');
    const gone = following(aSnapshot(), { name: 'projects.person_removed', data: aPerson() });
    expect([gone.channels, gone.people, gone.agents]).toEqual([[], [], []]);
  });

  it('who administrate keep the open channels', () => {
    const channels = [aChannel(), aChannel('chn_secret', 'secret', { visibility: 'private' })];
    const admin = { ...aPerson(), is_admin: true };
    const later = following(aSnapshot({ channels }), { name: 'projects.person_removed', data: admin });
    expect(later.channels.map(({ id }) => id)).toEqual(['chn_general']);
  });
});

describe('counts', () => {
  it('follow posts of others, and mentions of the reader', () => {
    const later = following(aSnapshot(), posted(1), posted(2, { mentions: ['per_mara'] }));
    expect(later.reading).toEqual([
      { conversation_id: 'chn_general', last_seq: 2, read_seq: 0, unread: 2, mentions: [2] },
    ]);
  });

  it('are zero after the reader posted', () => {
    const mine = posted(2, { from: { type: 'person', id: 'per_mara', name: 'Mara' } });
    expect(following(aSnapshot(), posted(1), mine).reading[0]).toMatchObject({ read_seq: 2, unread: 0 });
  });

  it('follow what was read and removed', () => {
    const three = following(aSnapshot(), posted(1), posted(2, { mentions: ['per_mara'] }), posted(3));
    const mark = { reader: 'per_mara', conversation_id: 'chn_general', seq: 1, unread: 2 };
    const read = following(three, { name: 'messaging.read', data: mark });
    expect(read.reading[0]).toMatchObject({ read_seq: 1, unread: 2, mentions: [2] });
    const removed = following(read, {
      name: 'messaging.removed',
      data: aMessage({ id: 'msg_2', seq: 2, removed_at: 'x' }),
    });
    expect(removed.reading[0]).toMatchObject({ unread: 1, mentions: [] });
    const others = { ...mark, reader: 'per_tobias', unread: 0 };
    expect(following(removed, { name: 'messaging.read', data: others }).reading).toBe(removed.reading);
  });

  it('gain and lose a mention with the text', () => {
    const one = following(aSnapshot(), posted(1));
    const called = following(one, {
      name: 'messaging.edited',
      data: aMessage({ id: 'msg_1', mentions: ['per_mara'] }),
    });
    expect(called.reading[0]?.mentions).toEqual([1]);
    const spared = following(called, { name: 'messaging.edited', data: aMessage({ id: 'msg_1' }) });
    expect(spared.reading[0]?.mentions).toEqual([]);
  });

  it('need a new snapshot when a message is missing, or a full window loses a mention', () => {
    expect(outcome(aSnapshot(), posted(2))).toBe('hole');
    const mentions = Array.from({ length: SNAPSHOT_MENTIONS_MAX }, (_, index) => index + 1);
    const reading = [{ conversation_id: 'chn_general', last_seq: 100, read_seq: 0, unread: 100, mentions }];
    const full = aSnapshot({ reading });
    expect(outcome(full, { name: 'messaging.edited', data: aMessage({ seq: 7 }) })).toBe('reload');
    const more = following(full, posted(101, { mentions: ['per_mara'] }));
    expect(more.reading[0]?.mentions).toHaveLength(SNAPSHOT_MENTIONS_MAX);
  });
});

describe('windows', () => {
  it('drop the oldest thread with its read position', () => {
    const threads = Array.from({ length: SNAPSHOT_ITEMS_MAX }, (_, index) => thread(`thr_${index}`));
    const reading = [{ conversation_id: 'thr_0', last_seq: 1, read_seq: 0, unread: 1, mentions: [] }];
    const later = following(aSnapshot({ threads, reading }), {
      name: 'messaging.thread_created',
      data: thread('thr_new'),
    });
    expect([later.threads.length, later.threads.at(-1)?.id, later.reading]).toEqual([1_000, 'thr_new', []]);
  });

  it('that were full need a new snapshot when a channel is lost', () => {
    const threads = Array.from({ length: SNAPSHOT_ITEMS_MAX }, (_, index) => thread(`thr_${index}`));
    const closed = { channel_id: 'chn_general', members: [] };
    expect(outcome(aSnapshot({ threads }), { name: 'channels.closed', data: closed })).toBe('reload');
    expect(outcome(aSnapshot(), { name: 'channels.closed', data: closed })).toBe('done');
  });
});

describe('answers', () => {
  it('end with their message', () => {
    const streams = [{ message_id: 'msg_1', conversation_id: 'chn_general', text: 'He' }];
    const finished: Change = { name: 'messaging.finished', data: aMessage() };
    expect(following(aSnapshot({ streams }), finished).streams).toEqual([]);
  });
});

describe('agents', () => {
  it('come at the end and change in their place', () => {
    const later = following(
      aSnapshot(),
      { name: 'agents.created', data: anAgent('agt_new', 'New') },
      { name: 'agents.updated', data: anAgent('agt_coder', 'Coder 2') },
    );
    expect(later.agents.map(({ name }) => name)).toEqual(['Coder 2', 'Reviewer', 'New']);
  });
});

describe('runs', () => {
  const run = (state: 'running' | 'paused', id = 'run_1') => aRun({ id, state });

  it('are there from their beginning to their end', () => {
    const begun = following(aSnapshot(), { name: 'runs.started', data: run('running') });
    const both = following(begun, { name: 'runs.started', data: run('running', 'run_2') });
    const paused = following(both, { name: 'runs.paused', data: run('paused') });
    expect(paused.runs?.map(({ id, state }) => `${id} ${state}`)).toEqual(['run_1 paused', 'run_2 running']);
    const resumed = following(paused, { name: 'runs.resumed', data: run('running') });
    expect(resumed.runs?.[0]?.state).toBe('running');
    const ended = following(resumed, { name: 'runs.ended', data: aRun({ id: 'run_1', state: 'done' }) });
    expect(ended.runs?.map(({ id }) => id)).toEqual(['run_2']);
  });

  it('are lost with the channel that they belong to', () => {
    const secret = aChannel('chn_secret', 'secret', { visibility: 'private' });
    const before = aSnapshot({
      channels: [aChannel(), secret],
      runs: [run('running'), aRun({ id: 'run_2', conversation_id: 'chn_secret' })],
    });
    const gone = { channel_id: 'chn_secret', member_id: 'per_mara' };
    const after = following(before, { name: 'channels.member_removed', data: gone });
    expect(after.runs?.map(({ id }) => id)).toEqual(['run_1']);
  });

  it('and questions and deliveries change no other list', () => {
    const before = aSnapshot();
    const mark = { message_id: 'msg_1', conversation_id: 'chn_general', question: aQuestion() };
    const after = following(before, { name: 'messaging.question', data: mark });
    expect({ ...after, position: before.position }).toEqual(before);
  });
});
