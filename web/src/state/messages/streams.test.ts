import { beforeEach, describe, expect, it } from 'vitest';
import { aMessage } from '../testing/fixtures';
import { STREAMS_MAX, Streams } from './streams';

const running = (more = {}) => ({ message_id: 'msg_1', conversation_id: 'chn_1', text: 'Hel', ...more });
const step = { id: 's1', name: 'grep', started_at: '2026-03-02T09:12:00.000Z' };
const streaming = (more = {}) => aMessage({ id: 'msg_1', to: 'chn_1', state: 'streaming', body: '', ...more });

describe('the answers that are being written', () => {
  let streams: Streams;
  const text = () => streams.get('msg_1')?.text.text();
  beforeEach(() => {
    streams = new Streams();
  });

  it('begin with their message, or with the text so far', () => {
    streams.see(streaming({ from: { type: 'agent', id: 'agt_1', name: 'Coder' } }));
    streams.grow({ message_id: 'msg_1', conversation_id: 'chn_1', start: 0, text: 'Hello' });
    expect([text(), streams.get('msg_1')?.from?.name]).toEqual(['Hello', 'Coder']);
    expect(streams.set(running({ message_id: 'msg_2' }))).toBe('done');
    expect(streams.all().map((one) => one.messageId)).toEqual(['msg_1', 'msg_2']);
  });

  it('ignore the text of an older page, and take that of a newer one', () => {
    streams.set(running({ text: 'Hello' }));
    streams.see(streaming({ body: 'He' }));
    expect(text()).toBe('Hello');
    streams.see(streaming({ body: 'Hello you' }));
    expect(text()).toBe('Hello you');
  });

  it('know their author when their message is loaded', () => {
    streams.set(running());
    expect(streams.all()[0]?.from).toBeUndefined();
    streams.see(streaming());
    expect(streams.all()[0]?.from?.name).toBe('Mara');
  });

  it('request the whole text when a chunk starts beyond it', () => {
    expect(streams.grow({ message_id: 'msg_9', conversation_id: 'chn_1', start: 4, text: 'o' })).toBe('misplaced');
    expect(streams.grow({ message_id: 'msg_9', conversation_id: 'chn_1', start: 0, text: 'H' })).toBe('done');
  });

  it('show steps as they begin and end', () => {
    streams.set(running());
    streams.step('msg_1', step);
    streams.step('msg_1', { ...step, finished_at: 'now' });
    streams.step('msg_unknown', step);
    expect(streams.get('msg_1')?.steps()).toEqual([{ ...step, finished_at: 'now' }]);
    expect(streams.set(running({ steps: [{ ...step, finished_at: 'now' }] }))).toBe('known');
    expect(streams.set(running({ steps: [] }))).toBe('done');
  });

  it('end with their message', () => {
    streams.set(running());
    streams.see(streaming({ state: 'complete', body: 'Hello' }));
    expect(streams.all()).toEqual([]);
  });

  it('are not more than a page can follow', () => {
    for (let index = 0; index <= STREAMS_MAX; index += 1) streams.set(running({ message_id: `msg_${index}` }));
    expect(streams.all()).toHaveLength(STREAMS_MAX);
    expect(streams.get('msg_0')).toBeUndefined();
  });
});
