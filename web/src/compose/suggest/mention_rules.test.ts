import { describe, expect, it } from 'vitest';
import cases from '../../../../crates/parlour-core/tests/fixtures/mentions.json';
import { nameEnds } from '../../text/names';
import { hideCode, hideQuotesAndComments, mentionStarts } from './mention_rules';

/** Returns the text after each possible start of a mention, up to the next space. */
function mentioned(text: string): string[] {
  return mentionStarts(text).map((at) => /^@(\S*)/.exec(text.slice(at))?.[1] ?? '');
}

describe('mentionStarts', () => {
  it('finds an @ at the start and after characters that are not part of a word', () => {
    expect(mentioned('@a (@b) "@c" /@d\n@e')).toEqual(['a', 'b)', 'c"', 'd', 'e']);
  });

  it('finds none in words, mail and addresses', () => {
    expect(mentioned('x@y.org é@z https://x/@y http://x/?q=(@z)')).toEqual([]);
    expect(mentioned('https://x/ @y')).toEqual(['y']);
  });

  it('finds none in code, and none that is escaped', () => {
    expect(mentioned('`@a` ``x ` @b`` \\@c @d')).toEqual(['d']);
    expect(mentioned('```rust\n@a\n```\n@b\n~~~\n@c')).toEqual(['b']);
    expect(mentioned('a ` @b')).toEqual(['b']);
  });

  it('finds none in quoted lines and HTML comments', () => {
    expect(mentioned('> @a\n@b\n- > @c')).toEqual(['b']);
    expect(mentioned('<!-- @a --> @b <!--\n@c\n--> @d <!--> @e <!-- @f')).toEqual(['b', 'd', 'e']);
    expect(mentioned('1 <2> @a')).toEqual(['a']);
  });

  it('counts characters beyond U+FFFF as two units', () => {
    expect(mentionStarts('🎉 @a')).toEqual([3]);
  });
});

describe('shared cases', () => {
  const names = ['Coder', 'Project Manager', '太郎', '지민', 'สมชาย'];
  it.each(cases as [string, string[]][])('finds the mentions of %j like the hub', (text, expected) => {
    const found = mentionStarts(text).flatMap((start) => {
      const tail = text.slice(start + 1);
      const words = nameEnds(tail).map((end) => tail.slice(0, end).toLowerCase());
      return names.filter(
        (name) => name.toLowerCase() === words.findLast((word) => names.some((one) => one.toLowerCase() === word)),
      );
    });
    expect([...new Set(found)]).toEqual(expected);
  });
});

describe('hideCode', () => {
  it('keeps the length of the text', () => {
    for (const text of ['a `b` c', '```\nx\n```\ny', '`` ` ``', '~~~\nopen'])
      expect(hideCode(text)).toHaveLength(text.length);
  });
});

describe('hideQuotesAndComments', () => {
  it('keeps the length of the text', () => {
    for (const text of ['> a\nb', 'a <!-- b --> c', '<!-- open', '> '])
      expect(hideQuotesAndComments(text)).toHaveLength(text.length);
  });
});
