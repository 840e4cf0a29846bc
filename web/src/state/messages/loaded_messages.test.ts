import { beforeEach, describe, expect, it } from 'vitest';
import type { Message } from '../../api/model';
import { aMessage } from '../testing/fixtures';
import { LoadedMessages } from './loaded_messages';

const CONVERSATION = 'chn_general';
const message = (seq: number, more: Partial<Message> = {}) =>
  aMessage({ id: `msg_${seq}`, seq, body: `${seq}`, ...more });
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => message(first + index));
const posted = (one: Message) => ({ name: 'messaging.posted' as const, data: one });

describe('loaded messages', () => {
  let loaded: LoadedMessages;
  const seqs = () => loaded.messages().map(({ seq }) => seq);
  beforeEach(() => {
    loaded = new LoadedMessages(CONVERSATION, undefined, 10);
    loaded.reset(range(5, 7), { newest: true, oldest: false });
  });

  it('add the next message, ignore earlier ones, and detect gaps', () => {
    expect(loaded.apply(posted(message(8)))).toEqual({ type: 'done', id: 'msg_8' });
    expect(loaded.apply(posted(message(8)))).toEqual({ type: 'known' });
    expect(loaded.apply(posted(message(11)))).toEqual({ type: 'missing', after: 8 });
    expect(seqs()).toEqual([5, 6, 7, 8]);
  });

  it('ignore messages of other conversations', () => {
    expect(loaded.apply(posted(message(8, { to: 'chn_other' })))).toEqual({ type: 'elsewhere' });
    expect(loaded.apply({ name: 'messaging.edited', data: message(40) })).toEqual({ type: 'elsewhere' });
  });

  it('ignore new messages while the range does not reach the end', () => {
    loaded.reset(range(1, 3), { newest: false, oldest: true });
    expect(loaded.apply(posted(message(4)))).toEqual({ type: 'elsewhere' });
    loaded.append(range(3, 5), true);
    expect(loaded.apply(posted(message(6)))).toEqual({ type: 'done', id: 'msg_6' });
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('replace a message by a newer version, once', () => {
    const edited = { name: 'messaging.edited' as const, data: message(6, { body: 'six' }) };
    expect(loaded.apply(edited)).toEqual({ type: 'done', id: 'msg_6' });
    expect(loaded.apply(edited)).toEqual({ type: 'known' });
    expect(loaded.get('msg_6')?.body).toBe('six');
  });

  it('add an older page without duplicates', () => {
    loaded.prepend(range(3, 5), false);
    expect([seqs(), loaded.reachesOldest, loaded.firstSeq]).toEqual([[3, 4, 5, 6, 7], false, 3]);
    loaded.prepend(range(1, 2), true);
    expect(loaded.reachesOldest).toBe(true);
  });

  it('drop the oldest when new ones arrive, and the newest when older ones are loaded', () => {
    for (let seq = 8; seq <= 20; seq += 1) loaded.add(message(seq));
    expect([loaded.ids.length, loaded.firstSeq, loaded.reachesOldest]).toEqual([10, 11, false]);
    expect(loaded.get('msg_5')).toBeUndefined();
    loaded.prepend(range(6, 10), false);
    expect([loaded.ids.length, loaded.lastSeq, loaded.reachesNewest]).toEqual([10, 15, false]);
  });

  it('keep the objects of what has not changed when they begin anew', () => {
    const [before, six] = [loaded.get('msg_5'), loaded.get('msg_6')];
    loaded.reset([message(5), message(6, { body: 'six' })], { newest: true, oldest: true });
    expect(loaded.get('msg_5')).toBe(before);
    expect(loaded.get('msg_6')).not.toBe(six);
  });

  it('find the newest up to a number', () => {
    expect([loaded.upTo(6)?.id, loaded.upTo(99)?.id, loaded.upTo(1)]).toEqual(['msg_6', 'msg_7', undefined]);
  });

  it('keep the body of a streaming message, and grow its text separately', () => {
    loaded.add(message(8, { state: 'streaming', body: '' }));
    loaded.applyChunk({ message_id: 'msg_8', conversation_id: CONVERSATION, start: 0, text: 'Hi' });
    expect([loaded.get('msg_8')?.body, loaded.messages().at(-1)?.body]).toEqual(['', 'Hi']);
    const late = { message_id: 'msg_8', conversation_id: CONVERSATION, start: 2, text: '!' };
    loaded.replace(message(8, { body: 'Hi' }));
    expect(loaded.applyChunk(late)).toEqual({ type: 'known' });
    expect(loaded.messages().at(-1)?.body).toBe('Hi');
  });
});
