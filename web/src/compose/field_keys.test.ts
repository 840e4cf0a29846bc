import { describe, expect, it } from 'vitest';
import { deedOf, type Key, type Situation } from './field_keys';

const PLAIN: Situation = {
  isListOpen: false,
  isWholeCommand: false,
  isReplying: false,
  isEmpty: false,
  hasText: true,
  enterSends: true,
};

function deed(key: string, now: Partial<Situation> = {}, how: Partial<Key> = {}) {
  const up = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, isComposing: false, keyCode: 0 };
  return deedOf({ ...up, key, ...how }, { ...PLAIN, ...now });
}

describe('Enter', () => {
  it('sends, and with Shift begins a line', () => {
    expect(deed('Enter')).toBe('send');
    expect(deed('Enter', {}, { shiftKey: true })).toBe('leave');
  });

  it('begins a line where Ctrl or ⌘ with it is wanted for sending', () => {
    expect(deed('Enter', { enterSends: false })).toBe('leave');
    expect(deed('Enter', { enterSends: false }, { ctrlKey: true })).toBe('send');
    expect(deed('Enter', { enterSends: false }, { metaKey: true })).toBe('send');
  });

  it('picks from an open list, unless the whole command is typed', () => {
    expect(deed('Enter', { isListOpen: true })).toBe('pick');
    expect(deed('Enter', { isListOpen: true, enterSends: false })).toBe('pick');
    expect(deed('Enter', { isListOpen: true, isWholeCommand: true })).toBe('send');
  });

  it('never sends what an input method is composing', () => {
    expect(deed('Enter', {}, { isComposing: true })).toBe('leave');
    expect(deed('Enter', {}, { keyCode: 229 })).toBe('leave');
    expect(deed('Escape', {}, { isComposing: true })).toBe('leave');
  });
});

describe('Escape', () => {
  it('closes the list, then ends the reply, then clears, then is the page’s', () => {
    expect(deed('Escape', { isListOpen: true, isReplying: true })).toBe('close_list');
    expect(deed('Escape', { isReplying: true })).toBe('cancel_reply');
    expect(deed('Escape')).toBe('clear');
    expect(deed('Escape', { isEmpty: true, hasText: false })).toBe('leave');
    expect(deed('Escape', {}, { shiftKey: true })).toBe('leave');
  });
});

describe('arrows and Tab', () => {
  it('walk an open list and pick from it', () => {
    expect(deed('ArrowDown', { isListOpen: true })).toBe('next');
    expect(deed('ArrowUp', { isListOpen: true })).toBe('previous');
    expect(deed('Tab', { isListOpen: true })).toBe('pick');
    expect(deed('Tab', { isListOpen: true }, { shiftKey: true })).toBe('leave');
  });

  it('leave the text alone, but Up in an empty field edits the last message', () => {
    expect(deed('ArrowUp')).toBe('leave');
    expect(deed('ArrowUp', { hasText: false })).toBe('edit_last');
    expect(deed('ArrowUp', { hasText: false }, { altKey: true })).toBe('leave');
    expect(deed('ArrowDown')).toBe('leave');
    expect(deed('Tab')).toBe('leave');
  });
});
