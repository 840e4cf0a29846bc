import { describe, expect, it } from 'vitest';
import { actionOfKey, type FieldState, type Key } from './field_keys';

const PLAIN: FieldState = {
  isListOpen: false,
  isWholeCommand: false,
  isReplying: false,
  isEmpty: false,
  hasText: true,
  enterSends: true,
};

function action(key: string, now: Partial<FieldState> = {}, how: Partial<Key> = {}) {
  const up = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, isComposing: false, keyCode: 0 };
  return actionOfKey({ ...up, key, ...how }, { ...PLAIN, ...now });
}

describe('Enter', () => {
  it('sends, and with Shift starts a new line', () => {
    expect(action('Enter')).toBe('send');
    expect(action('Enter', {}, { shiftKey: true })).toBe('leave');
  });

  it('starts a new line when Ctrl or ⌘ is required for sending', () => {
    expect(action('Enter', { enterSends: false })).toBe('leave');
    expect(action('Enter', { enterSends: false }, { ctrlKey: true })).toBe('send');
    expect(action('Enter', { enterSends: false }, { metaKey: true })).toBe('send');
  });

  it('picks from an open list, unless the whole command is typed', () => {
    expect(action('Enter', { isListOpen: true })).toBe('pick');
    expect(action('Enter', { isListOpen: true, enterSends: false })).toBe('pick');
    expect(action('Enter', { isListOpen: true, isWholeCommand: true })).toBe('send');
  });

  it('never sends what an input method is composing', () => {
    expect(action('Enter', {}, { isComposing: true })).toBe('leave');
    expect(action('Enter', {}, { keyCode: 229 })).toBe('leave');
    expect(action('Escape', {}, { isComposing: true })).toBe('leave');
  });
});

describe('Escape', () => {
  it('closes the list, then ends the reply, then clears, then is left to the page', () => {
    expect(action('Escape', { isListOpen: true, isReplying: true })).toBe('close_list');
    expect(action('Escape', { isReplying: true })).toBe('cancel_reply');
    expect(action('Escape')).toBe('clear');
    expect(action('Escape', { isEmpty: true, hasText: false })).toBe('leave');
    expect(action('Escape', {}, { shiftKey: true })).toBe('leave');
  });
});

describe('arrows and Tab', () => {
  it('navigate an open list and pick from it', () => {
    expect(action('ArrowDown', { isListOpen: true })).toBe('next');
    expect(action('ArrowUp', { isListOpen: true })).toBe('previous');
    expect(action('Tab', { isListOpen: true })).toBe('pick');
    expect(action('Tab', { isListOpen: true }, { shiftKey: true })).toBe('leave');
  });

  it('leave the text alone, but Up in an empty field edits the last message', () => {
    expect(action('ArrowUp')).toBe('leave');
    expect(action('ArrowUp', { hasText: false })).toBe('edit_last');
    expect(action('ArrowUp', { hasText: false }, { altKey: true })).toBe('leave');
    expect(action('ArrowDown')).toBe('leave');
    expect(action('Tab')).toBe('leave');
  });
});
