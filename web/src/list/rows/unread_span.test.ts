import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aMessage, fixedMessageList } from '../../state/testing/fixtures';
import { createUnreadSpan } from './unread_span';

const all = Array.from({ length: 9 }, (_, index) => aMessage({ id: `m${index + 1}`, seq: index + 1 }));
const [ids, setIds] = createSignal<readonly string[]>([]);
const [readAtOpening, setRead] = createSignal<number | undefined>();
const [watching, setWatching] = createSignal(true);
const open = vi.fn();
let seen = 0;
let dispose = () => {};

beforeEach(() => {
  setIds(['m1', 'm2', 'm3']);
  setRead(2);
  setWatching(true);
  open.mockClear();
  seen = 0;
});

afterEach(() => dispose());

function span() {
  const messageList = fixedMessageList(all, { ids, readAtOpening, open });
  return createRoot((end) => {
    dispose = end;
    return createUnreadSpan(messageList, watching, () => seen);
  });
}

test('messages unread at opening are marked, later ones are not while the page is watched', () => {
  const unread = span();
  expect(open).toHaveBeenCalledOnce();
  setIds(['m1', 'm2', 'm3', 'm4']);
  expect(unread()).toEqual({ after: 2, upTo: 3 });
});

test('messages that arrive while nobody watches are marked, after the last seen one', () => {
  const unread = span();
  seen = 3;
  setWatching(false);
  setIds(['m1', 'm2', 'm3', 'm4']);
  expect(unread()).toEqual({ after: 3, upTo: Number.POSITIVE_INFINITY });
  expect(open).toHaveBeenCalledTimes(2);
});

test('the mark stays as it is when the reader is back', () => {
  const unread = span();
  seen = 3;
  setWatching(false);
  setIds(['m1', 'm2', 'm3', 'm4']);
  setWatching(true);
  setIds(['m1', 'm2', 'm3', 'm4', 'm5']);
  expect(unread()).toEqual({ after: 3, upTo: 4 });
});

test('nothing is marked where nothing was unread', () => {
  setRead(undefined);
  expect(span()()).toBeUndefined();
});
