import { describe, expect, test } from 'vitest';
import { arrange, type Group, type PaletteEntry, parseQuery } from './palette_sections';

const entry = (group: Group, label: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
  key: `${group}/${label}`,
  group,
  label,
  mark: { type: 'icon', name: 'hash' },
  run: () => {},
  ...more,
});

const ENTRIES = [
  entry('conversations', 'general'),
  entry('conversations', 'release'),
  entry('conversations', 'design', { recent: 1 }),
  entry('members', 'Reviewer'),
  entry('members', 'Dora'),
  entry('commands', 'Open settings', { words: 'preferences password' }),
  entry('commands', 'Create a channel'),
];

const shown = (typed: string, found: readonly PaletteEntry[] = []) =>
  arrange(typed, ENTRIES, found).map((section) => [section.group, section.entries.map((one) => one.label)]);

describe('parseQuery', () => {
  test.each([
    ['#rel', 'conversations', 'rel'],
    ['@ dora', 'members', 'dora'],
    [' >settings', 'commands', 'settings'],
    ['rel', undefined, 'rel'],
    ['c#', undefined, 'c#'],
  ])('%s asks for %s', (typed, only, text) => {
    expect(parseQuery(typed)).toEqual(only ? { only, text } : { text });
  });
});

describe('arrange', () => {
  test('without a query, recent entries come first', () => {
    expect(shown('')[0]).toEqual(['conversations', ['design', 'general', 'release']]);
  });

  test('the group with the best fit is first', () => {
    expect(shown('settings')[0]).toEqual(['commands', ['Open settings']]);
    expect(shown('re').map(([group]) => group)).toEqual(['conversations', 'members', 'commands']);
    expect(shown('dora')[0]?.[0]).toBe('members');
  });

  test('a prefix selects one group, without messages', () => {
    expect(shown('@re', [entry('messages', 'Search all')])).toEqual([['members', ['Reviewer']]]);
    expect(shown('>').map(([group]) => group)).toEqual(['commands']);
  });

  test('messages are always last', () => {
    expect(shown('zzz', [entry('messages', 'Search all')])).toEqual([['messages', ['Search all']]]);
    expect(shown('gen', [entry('messages', 'gen')]).at(-1)?.[0]).toBe('messages');
  });

  test('a command is found by its keywords, after commands with that name', () => {
    expect(shown('password')).toEqual([['commands', ['Open settings']]]);
  });

  test('the current conversation comes last, and is still found by name', () => {
    const here = [entry('conversations', 'here', { isHere: true, recent: 1 }), entry('conversations', 'there')];
    expect(arrange('', here, [])[0]?.entries.map((one) => one.label)).toEqual(['there', 'here']);
    expect(arrange('here', here, [])[0]?.entries[0]?.label).toBe('here');
  });

  test('an unread conversation goes before one that is not', () => {
    const both = [entry('conversations', 'read'), entry('conversations', 'unread', { unread: 3 })];
    expect(arrange('', both, [])[0]?.entries[0]?.label).toBe('unread');
  });

  test('before anything is typed a few members are enough', () => {
    const many = Array.from({ length: 9 }, (_, index) => entry('members', `person ${index}`));
    expect(arrange('', many, [])[0]?.entries.length).toBe(3);
    expect(arrange('person', many, [])[0]?.entries.length).toBe(5);
    expect(arrange('@', many, [])[0]?.entries.length).toBe(9);
  });

  test('a group shows only so many, alone it shows more', () => {
    const many = Array.from({ length: 40 }, (_, index) => entry('conversations', `room ${index}`));
    expect(arrange('room', many, [])[0]?.entries.length).toBe(6);
    expect(arrange('#room', many, [])[0]?.entries.length).toBe(30);
  });
});
