import type { Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { COLUMNS_MAX, lex, MARKS_MAX, NESTING_MAX, PART_CHARS } from './lex';

const read = (text: string) => lex(text, { links: Object.create(null) });
const inside = (text: string) => JSON.stringify(read(text));

/** Returns the nesting depth of tokens. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = 'raw' in value ? 1 : 0;
  return own + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('what is beyond a bound stays text', () => {
  it.each([
    ['quotes', '> '.repeat(3000)],
    ['lists', '- '.repeat(3000)],
    ['both', '> - '.repeat(3000)],
    ['emphasis', `${'*a '.repeat(400)}${'b* '.repeat(400)}`],
    ['brackets', '['.repeat(60_000)],
  ])('nesting of %s', (_, text) => {
    expect(depthOf(read(text))).toBeLessThan(NESTING_MAX * 3);
  });

  it('a table with too many columns', () => {
    const table = (columns: number) => `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`;
    expect(read(table(COLUMNS_MAX - 1))[0]?.type).toBe('table');
    expect(read(table(COLUMNS_MAX + 1))[0]?.type).toBe('paragraph');
  });

  it('a paragraph with too many marks', () => {
    expect(inside('*a* '.repeat(MARKS_MAX / 2))).toContain('"em"');
    expect(inside('*a* '.repeat(MARKS_MAX / 2 + 1))).not.toContain('"em"');
  });

  it('an address that is too long', () => {
    expect(inside(`https://example.org/${'a'.repeat(1000)}`)).toContain('"link"');
    expect(inside(`https://example.org/${'a'.repeat(3000)}`)).not.toContain('"link"');
  });
});

it('reads no HTML', () => {
  expect(inside('<div>\n\n<b>x</b>')).not.toContain('"html"');
  expect(inside('a<br>b')).toContain('"html"');
});

it('makes no links of mail addresses', () => {
  expect(inside('write to a@b.example')).not.toContain('"link"');
});

it('cuts a long list behind an item, and keeps its numbers', () => {
  const text = Array.from({ length: 300 }, (_, i) => `${i + 1}. item number ${i}\n`).join('');
  const lists = read(text).filter(({ type }) => type === 'list');
  expect(lists.length).toBeGreaterThan(1);
  expect(lists.map(({ raw }) => raw.trim()).join('\n')).toBe(text.trim());
  expect(lists[0]?.raw.length).toBeLessThan(PART_CHARS + 100);
  expect((lists[1] as Tokens.List).start).toBeGreaterThan(1);
});

it('does not cut a list of one long item', () => {
  expect(read(`- ${'word '.repeat(2000)}`)).toHaveLength(1);
});

it('takes the first definition of a label, and no inherited name', () => {
  const links = Object.create(null);
  lex('[a]: https://one.example\n[a]: https://two.example', { links });
  expect(links.a.href).toBe('https://one.example');
  expect(inside('[x][toString]')).not.toContain('"link"');
});
