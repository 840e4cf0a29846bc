import { describe, expect, it } from 'vitest';
import { hideCode, mentionStarts, nameEnds } from './mention_rules';

/** Returns the text after each possible start of a mention, up to the next space. */
function mentioned(text: string): string[] {
  return mentionStarts(text).map((at) => /^@(\S*)/.exec(text.slice(at))?.[1] ?? '');
}

function names(tail: string): string[] {
  return nameEnds(tail).map((end) => tail.slice(0, end));
}

describe('mentionStarts', () => {
  it('finds an @ at the start and behind what belongs to no word', () => {
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

  it('counts signs beyond the first plane as two units', () => {
    expect(mentionStarts('🎉 @a')).toEqual([3]);
  });
});

describe('nameEnds', () => {
  it('offers every place where the name could end', () => {
    expect(names("Ann O'Neil, hi")).toEqual(['Ann', 'Ann O', "Ann O'Neil"]);
  });

  it('does not cut a word that a dash or dot binds', () => {
    expect(names('Coder-2 x')).toEqual(['Coder-2', 'Coder-2 x']);
    expect(names('Coder. Next')).toEqual(['Coder', 'Coder. Next']);
  });

  it('ends at two blanks, at other signs, and at the length of a name', () => {
    expect(names('a  b')).toEqual(['a']);
    expect(names('a\nb')).toEqual(['a']);
    expect(names('x'.repeat(65))).toEqual([]);
    expect(names('')).toEqual([]);
  });
});

describe('hideCode', () => {
  it('keeps the length of the text', () => {
    for (const text of ['a `b` c', '```\nx\n```\ny', '`` ` ``', '~~~\nopen'])
      expect(hideCode(text)).toHaveLength(text.length);
  });
});
