import { expect, test } from 'vitest';
import { isCharacter, isPressed, keyCaps, parseKeys } from './keys';
import { SHORTCUTS } from './shortcuts';

const event = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  code: '',
  ctrlKey: false,
  altKey: false,
  shiftKey: false,
  metaKey: false,
  ...more,
});
const pressed = (keys: string, given: ReturnType<typeof event>, isMac = false) => {
  const [press] = parseKeys(keys);
  return press !== undefined && isPressed(given, press, isMac);
};

test('Ctrl is Ctrl, and ⌘ on a Mac', () => {
  expect(pressed('Ctrl+K', event('k', { ctrlKey: true }))).toBe(true);
  expect(pressed('Ctrl+K', event('k', { metaKey: true }))).toBe(false);
  expect(pressed('Ctrl+K', event('k', { metaKey: true }), true)).toBe(true);
  expect(pressed('Ctrl+K', event('k', { ctrlKey: true }), true)).toBe(false);
});

test('modifiers too many are another shortcut', () => {
  expect(pressed('Ctrl+K', event('k', { ctrlKey: true, shiftKey: true }))).toBe(false);
  expect(pressed('Alt+ArrowUp', event('ArrowUp', { altKey: true, shiftKey: true }))).toBe(false);
  expect(pressed('Alt+Shift+ArrowUp', event('ArrowUp', { altKey: true, shiftKey: true }))).toBe(true);
  expect(pressed('J', event('j', { metaKey: true }))).toBe(false);
});

test('a question mark counts on every layout', () => {
  expect(pressed('?', event('?', { shiftKey: true, code: 'Slash' }))).toBe(true);
  expect(pressed('?', event('?', { shiftKey: true, code: 'Minus' }))).toBe(true);
  expect(pressed('?', event('?', { code: 'KeyM' }))).toBe(true);
  expect(pressed('?', event('/', { code: 'Slash' }))).toBe(false);
});

test('a letter of another script counts by its place', () => {
  expect(pressed('Ctrl+K', event('л', { ctrlKey: true, code: 'KeyK' }))).toBe(true);
  expect(pressed('J', event('о', { code: 'KeyJ' }))).toBe(true);
});

test('a letter of another Latin layout counts by its name', () => {
  expect(pressed('A', event('a', { code: 'KeyQ' }))).toBe(true);
  expect(pressed('Q', event('a', { code: 'KeyQ' }))).toBe(false);
});

test('two keys one after the other are two presses', () => {
  expect(parseKeys('G S').map((press) => press.key)).toEqual(['G', 'S']);
});

test('only bare characters are characters', () => {
  const isBare = (keys: string) => parseKeys(keys).every(isCharacter);
  expect(['J', '?', 'G S'].every(isBare)).toBe(true);
  expect(['Ctrl+K', 'F6', 'End', 'Escape', 'Alt+ArrowUp'].some(isBare)).toBe(false);
});

test('caps are named as on the keyboard in front of the reader', () => {
  expect(keyCaps('Ctrl+K', false)).toEqual([['Ctrl', 'K']]);
  expect(keyCaps('Ctrl+K', true)).toEqual([['⌘', 'K']]);
  expect(keyCaps('Alt+Shift+ArrowUp', true)).toEqual([['⌥', '⇧', '↑']]);
  expect(keyCaps('G S', false)).toEqual([['G'], ['S']]);
});

test('no two shortcuts that can be answered at once have the same keys', () => {
  // A conversation and the inbox are never shown together.
  const keys = SHORTCUTS.filter((one) => !one.isLocal && one.group !== 'Inbox').map((one) => one.keys);
  expect(new Set(keys).size).toBe(keys.length);
});
