import { expect, it } from 'vitest';
import { splitMentions } from './mentions';

const NAMES = new Map(['Coder', 'Coder-2', 'Ada Lovelace', "O'Neil", 'Zoë'].map((name) => [name.toLowerCase(), name]));

/** Returns the text with its mentions in brackets. */
function marked(text: string): string {
  const mention = (name: string) => (NAMES.has(name.toLowerCase()) ? { id: name, isReader: false } : undefined);
  return splitMentions(text, mention)
    .map((part) => (typeof part === 'string' ? part : `[${part.name}]`))
    .join('');
}

it.each([
  ['@Coder', '[Coder]'],
  ['@coder, and @CODER!', '[coder], and [CODER]!'],
  ['(@Coder)', '([Coder])'],
  ['@Coder-2 is not Coder', '[Coder-2] is not Coder'],
  ['@Coder-3', '@Coder-3'],
  ['@Coder.', '[Coder].'],
  ['@Coder.rs', '@Coder.rs'],
  ['@Ada Lovelace wrote', '[Ada Lovelace] wrote'],
  ['@Ada  Lovelace', '@Ada  Lovelace'],
  ["@O'Neil's", "[O'Neil]'s"],
  ["@O'Neil said", "[O'Neil] said"],
  ['@Zoë', '[Zoë]'],
  ['mail@Coder', 'mail@Coder'],
  ['@@Coder', '@[Coder]'],
  ['@', '@'],
  [`@${'a'.repeat(500)}`, `@${'a'.repeat(500)}`],
])('reads %j as %j', (text, expected) => {
  expect(marked(text)).toBe(expected);
});
