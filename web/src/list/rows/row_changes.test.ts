import { createRoot, createSignal } from 'solid-js';
import { expect, test } from 'vitest';
import { aMessage, fixedMessageList } from '../../state/testing/fixtures';
import { arrivalsOf, createRowChanges } from './row_changes';

const all = Array.from({ length: 9 }, (_, index) => aMessage({ id: `m${index}`, seq: index + 1 }));

function modelOf(first: readonly string[]) {
  const [ids, setIds] = createSignal(first);
  const messageList = fixedMessageList(all, { ids });
  const model = createRoot(() =>
    createRowChanges(
      messageList,
      () => 'per_mara',
      () => undefined,
    ),
  );
  return { model, setIds };
}

test('older messages are reported as a shift, together with the rows', () => {
  const { model, setIds } = modelOf(['m3', 'm4']);
  setIds(['m1', 'm2', 'm3', 'm4']);
  expect(model().isShifted).toBe(true);
  expect(model().keys).toContain('m1');
  setIds(['m1', 'm2', 'm3', 'm4', 'm5']);
  expect(model().isShifted).toBe(false);
});

test('the first message keeps its head when older ones come above it', () => {
  const { model, setIds } = modelOf(['m3', 'm4']);
  expect([...model().continued]).toEqual(['m4']);
  setIds(['m1', 'm2', 'm3', 'm4']);
  expect([...model().continued]).toEqual(['m2', 'm4']);
});

test('another range of the conversation is another generation', () => {
  const { model, setIds } = modelOf(['m1', 'm2']);
  const { generation } = model();
  setIds(['m1', 'm2', 'm3']);
  expect(model().generation).toBe(generation);
  setIds(['m7', 'm8']);
  expect(model().generation).toBe(generation + 1);
});

test('new messages are distinguished from older ones that were loaded', () => {
  expect(arrivalsOf(['a', 'b'], ['a', 'b', 'c', 'd'])).toEqual(['c', 'd']);
  expect(arrivalsOf(['a', 'b'], ['x', 'a', 'b'])).toEqual([]);
  expect(arrivalsOf([], ['a'])).toEqual([]);
  expect(arrivalsOf(['a', 'b'], ['x', 'y'])).toEqual([]);
});
