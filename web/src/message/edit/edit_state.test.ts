import { createRoot } from 'solid-js';
import { afterEach, expect, test } from 'vitest';
import { isEdited, keepTyped, startEditing, stopEditing, typedText } from './edit_state';

afterEach(() => void stopEditing());

test('one message is edited at a time', () => {
  createRoot((dispose) => {
    startEditing('msg_1');
    startEditing('msg_2');
    expect([isEdited('msg_1'), isEdited('msg_2')]).toEqual([false, true]);
    dispose();
  });
});

test('what was typed stays until editing ends', () => {
  startEditing('msg_1');
  expect(typedText('msg_1')).toBeUndefined();
  keepTyped('Hello again');
  startEditing('msg_1');
  expect([typedText('msg_1'), typedText('msg_2')]).toEqual(['Hello again', undefined]);
  stopEditing();
  expect(typedText('msg_1')).toBeUndefined();
});

test('the focus returns to where it was', () => {
  const field = document.createElement('textarea');
  document.body.append(field);
  field.focus();
  startEditing('msg_1');
  field.blur();
  expect(stopEditing()).toBe(true);
  expect(document.activeElement).toBe(field);
  field.remove();
});

test('a removed field does not get the focus', () => {
  const field = document.createElement('textarea');
  document.body.append(field);
  field.focus();
  startEditing('msg_1');
  field.remove();
  expect(stopEditing()).toBe(false);
});
