import { expect, it } from 'vitest';
import { plainText } from './plain_text';

it.each([
  ['**Bold** and `code`', 'Bold and code'],
  ['# Title\n\nText\nmore', 'Title Text more'],
  ['- [x] done\n- open', 'done open'],
  ['[words](https://example.org) ![alt](x)', 'words alt'],
  ['> quote\n\n```\ncode\n```', 'quote code'],
  ['| a | b |\n|---|---|\n| 1 | 2 |', 'a b 1 2'],
  ['&lt;b&gt; <b>', '<b> <b>'],
  ['snake_case stays', 'snake_case stays'],
  ['', ''],
])('reads %j as plain text %j', (markdown, words) => {
  expect(plainText(markdown)).toBe(words);
});

it('cuts behind a word', () => {
  expect(plainText('one two three four', 10)).toBe('one two…');
});

it('never cuts a character in two', () => {
  expect(plainText('😀'.repeat(50), 10)).toBe(`${'😀'.repeat(4)}…`);
});

it('reads only as much as it needs', () => {
  expect(plainText('word '.repeat(20_000), 40).length).toBeLessThanOrEqual(40);
});
