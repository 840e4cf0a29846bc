import { describe, expect, it } from 'vitest';
import { Refusal, unreachable } from '../../api/refusal';
import type { Outgoing } from '../contract';
import { draftOf, drop, isWorthWaiting, newMessageId, nextToSend, postOf, put, readStored, toStored } from './outbox';

const REFUSED = { state: 'refused', refusal: new Refusal('PARLOUR-M03', 'No.', { candidates: ['Coder'] }) } as const;

function outgoing(id: string, more: Partial<Outgoing> = {}): Outgoing {
  const words = { body: 'Hi', importance: 'normal', blocking: false, attachments: [], at: 1 } as const;
  return { id, projectId: 'prj_1', conversationId: 'chn_1', status: { state: 'waiting' }, ...words, ...more };
}

describe('the outbox', () => {
  it('is in the order in which messages were written, each once', () => {
    const list = [outgoing('msg_c', { at: 2 }), outgoing('msg_b'), outgoing('msg_a')].reduce(
      put,
      [] as readonly Outgoing[],
    );
    expect(list.map(({ id }) => id)).toEqual(['msg_a', 'msg_b', 'msg_c']);
    expect(put(list, outgoing('msg_b', { body: 'again' })).map(({ body }) => body)).toEqual(['Hi', 'again', 'Hi']);
    expect(drop(list, 'msg_b')).toHaveLength(2);
    expect(drop(list, 'msg_z')).toBe(list);
  });

  it('sends one message per conversation, and no refused one', () => {
    const list = [
      outgoing('msg_1', { status: REFUSED }),
      outgoing('msg_2'),
      outgoing('msg_3'),
      outgoing('msg_4', { conversationId: 'chn_2' }),
    ];
    expect(nextToSend(list, new Set())?.id).toBe('msg_2');
    expect(nextToSend(list, new Set(['chn_1']))?.id).toBe('msg_4');
    expect(nextToSend(list, new Set(['chn_1', 'chn_2']))).toBeUndefined();
  });
});

describe('an outgoing message', () => {
  it('goes over the wire under its own id', () => {
    const attachment = { filename: 'a', media_type: 'b', size: 1, artifact_id: 'art_1' };
    const one = outgoing('msg_1', {
      conversationId: 'dm_1',
      replyTo: 'msg_0',
      confirmWide: true,
      attachments: [attachment],
    });
    expect(postOf(one)).toEqual({
      ...{ id: 'msg_1', dm_id: 'dm_1', body: 'Hi', importance: 'normal', blocking: false },
      ...{ reply_to: 'msg_0', confirm_wide: true, attachments: [attachment] },
    });
    expect(Object.keys(postOf(outgoing('msg_1')))).not.toContain('attachments');
  });

  it('becomes a draft again when it is discarded', () => {
    expect(draftOf(outgoing('msg_1', { replyTo: 'msg_0' }))).toEqual({
      ...{ text: 'Hi', importance: 'normal', blocking: false, attachments: [], replyTo: 'msg_0' },
    });
  });

  it('survives storing, with its refusal', () => {
    const again = readStored(JSON.parse(JSON.stringify(toStored(outgoing('msg_1', { status: REFUSED })))));
    expect(again?.status).toEqual(REFUSED);
    expect(again?.status.state === 'refused' && again.status.refusal).toBeInstanceOf(Refusal);
  });

  it('waits again when the page ended while it was being sent', () => {
    expect(readStored(toStored(outgoing('msg_1', { status: { state: 'sending' } })))?.status).toEqual({
      state: 'waiting',
    });
  });

  it('ignores stored values of other formats', () => {
    expect([undefined, null, 3, {}, { id: 'msg_1', body: 4 }].map(readStored)).toEqual(Array(5).fill(undefined));
  });
});

it('refusals that may succeed later are retried', () => {
  const status = (code: number, retryable = false) => new Refusal('X', 'No.', { status: code, retryable });
  expect([unreachable(), status(503), status(429), status(401), status(409, true)].every(isWorthWaiting)).toBe(true);
  expect([status(409), status(404), status(400)].some(isWorthWaiting)).toBe(false);
});

it('ids are such as the hub takes, and sort by time', () => {
  const [one, two] = [newMessageId(1_700_000_000_000), newMessageId(1_700_000_000_001)];
  expect(one).toMatch(/^msg_[A-Za-z0-9_-]{1,60}$/);
  expect(one < two).toBe(true);
  expect(newMessageId(1, () => 0.999999)).not.toBe(newMessageId(1, () => 0));
});
