import { describe, expect, test, vi } from 'vitest';
import { aMessage, fixedMessageList } from '../../state/testing/fixtures';
import { findOpening, type OpeningRequest } from './opening_position';
import type { SavedPosition } from './saved_positions';

const messageList = fixedMessageList([aMessage({ id: 'm1' }), aMessage({ id: 'm2' })]);
const LEFT_AT_M1: SavedPosition = { at: 'message', id: 'm1', distance: 40 };

function open(given: { targetId?: string; position?: SavedPosition; hasUnread?: boolean }, on = messageList) {
  const onMissing = vi.fn();
  const request: OpeningRequest = {
    targetId: given.targetId,
    position: given.position,
    hasUnread: async () => given.hasUnread ?? false,
    onMissing,
  };
  return findOpening(on, request).then((hold) => ({ hold, onMissing }));
}

describe('a conversation opens', () => {
  test('at the message of a link, before anything else', async () => {
    const { hold } = await open({ targetId: 'm2', position: LEFT_AT_M1, hasUnread: true });
    expect(hold).toEqual({ at: 'middle', key: 'm2' });
  });

  test('where it was left', async () => {
    expect((await open({ position: LEFT_AT_M1, hasUnread: true })).hold).toEqual({
      at: 'row',
      key: 'm1',
      distance: 40,
    });
  });

  test('at what is new, when it was left at its end', async () => {
    expect((await open({ position: { at: 'end' }, hasUnread: true })).hold).toMatchObject({ key: 'unread' });
  });

  test('at its end', async () => {
    expect((await open({})).hold).toEqual({ at: 'end' });
  });
});

test('a missing message is reported, and the conversation opens at its default position', async () => {
  const { hold, onMissing } = await open({ targetId: 'gone', position: LEFT_AT_M1 });
  expect(onMissing).toHaveBeenCalledOnce();
  expect(hold).toMatchObject({ key: 'm1' });
});

test('a saved position that cannot be loaded is ignored', async () => {
  const broken = fixedMessageList([], { loadAround: () => Promise.reject(new Error('offline')) });
  const { hold, onMissing } = await open({ position: LEFT_AT_M1 }, broken);
  expect(hold).toEqual({ at: 'end' });
  expect(onMissing).not.toHaveBeenCalled();
});
