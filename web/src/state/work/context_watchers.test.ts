import { expect, test, vi } from 'vitest';
import type { LogEvent } from '../../api/events';
import type { Message } from '../../api/model';
import { aChannel, aDelivery, aMessage, anAgent, aRun, aSnapshot } from '../testing/fixtures';
import { ContextWatchers, mayChangeContext } from './context_watchers';

const snapshot = aSnapshot({
  channels: [aChannel(), aChannel('chn_secret', 'secret', { visibility: 'private' })],
  channel_members: [],
});

function anEvent(name: string, data: unknown, projectId = 'prj_1'): LogEvent {
  return { name, data, project_id: projectId, position: 'A0-2', at: '2026-03-02T09:12:00.000Z' } as unknown as LogEvent;
}
const isNews = (name: string, data: unknown) => mayChangeContext(snapshot, anEvent(name, data), 'agt_coder');
const said = (more: Partial<Message> = {}) => aMessage(more);

test('messages, edits, deletions and answers where the agent can read affect it', () => {
  for (const name of ['messaging.posted', 'messaging.edited', 'messaging.removed', 'messaging.finished']) {
    expect(isNews(name, said())).toBe(true);
    expect(isNews(name, said({ to: 'chn_secret' }))).toBe(false);
  }
});

test('a streaming message affects it when it is complete', () => {
  expect(isNews('messaging.posted', said({ state: 'streaming' }))).toBe(false);
  expect(isNews('messaging.finished', said())).toBe(true);
});

test('read marks, deliveries and reactions do not affect it', () => {
  expect(isNews('messaging.read', { reader: 'per_mara' })).toBe(false);
  expect(isNews('messaging.read', { reader: 'agt_coder' })).toBe(true);
  expect(isNews('messaging.delivered', { deliveries: [aDelivery({ recipient: 'agt_reviewer' })] })).toBe(false);
  expect(isNews('messaging.delivered', { deliveries: [aDelivery()] })).toBe(true);
  expect(isNews('messaging.reacted', { conversation_id: 'chn_general' })).toBe(false);
});

test('changes of the project, tasks and runs affect every agent, and so do unknown events', () => {
  for (const [name, data] of [
    ['agents.updated', anAgent()],
    ['runs.ended', aRun()],
    ['sundials.turned', {}],
  ] as const) {
    expect(isNews(name, data)).toBe(true);
  }
});

test('watchers get events of their agent in the open project until they stop, and missed events', () => {
  const followers = new ContextWatchers();
  const [stop, onChange] = [new AbortController(), vi.fn()];
  followers.add('agt_coder', onChange, stop.signal);
  const event = anEvent('messaging.posted', said());
  followers.take(event, snapshot);
  followers.take(anEvent('messaging.posted', said(), 'prj_other'), snapshot);
  followers.take(event, undefined);
  followers.missed();
  expect(onChange.mock.calls).toEqual([[{ event }], ['missed']]);
  stop.abort();
  followers.take(event, snapshot);
  followers.add('agt_coder', onChange, stop.signal);
  followers.missed();
  expect(onChange).toHaveBeenCalledTimes(2);
});
