import { describe, expect, test } from 'vitest';
import { matchScore, rank } from './rank_match';

const better = (typed: string, one: string, other: string) =>
  (matchScore(typed, one) ?? -1) > (matchScore(typed, other) ?? -1);

describe('matchScore', () => {
  test.each([
    ['gen', 'gen', 'general', 'the whole name is best'],
    ['gen', 'general', 'the general', 'the start of the name is better than of a word'],
    ['gen', 'agent general', 'agenda', 'the start of a word is better than the inside'],
    ['gen', 'agenda', 'grey hen', 'letters together are better than apart'],
    ['rel', 'release', 'release notes of the year', 'the shorter name is better'],
    ['rn', 'release notes', 'reunion', 'starts of words are better than letters inside'],
  ])('%s: %s before %s: %s', (typed, one, other) => {
    expect(better(typed, one, other)).toBe(true);
  });

  test('letters in another order do not match', () => {
    expect(matchScore('neg', 'general')).toBeUndefined();
  });

  test('case and marks do not matter', () => {
    expect(matchScore('jose', 'José')).toBe(1_000);
    expect(matchScore('ÉTÉ', 'ete')).toBe(1_000);
  });

  test('an empty query matches every name equally', () => {
    expect(matchScore('  ', 'a')).toBe(matchScore('', 'b'));
  });

  test('a name matches any subsequence of its letters', () => {
    const name = 'incident review board';
    for (let seed = 1; seed < 200; seed += 1) {
      const typed = [...name].filter((letter, index) => letter !== ' ' && (seed >> (index % 8)) % 2 === 1).join('');
      expect(matchScore(typed, name), typed).toBeDefined();
    }
  });
});

describe('rank', () => {
  const NAMES = ['release', 'general', 'design', 'green'];

  test('returns only matches, best first', () => {
    expect(rank('ge', NAMES, (name) => name)).toEqual(['general', 'green']);
  });

  test('keeps the order of equals', () => {
    expect(rank('', NAMES, (name) => name)).toEqual(NAMES);
  });

  test('entries with a bonus come first among equals', () => {
    expect(
      rank(
        '',
        NAMES,
        (name) => name,
        (name) => (name === 'design' ? 5 : 0),
      )[0],
    ).toBe('design');
  });
});
