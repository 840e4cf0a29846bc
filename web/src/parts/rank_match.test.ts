import { describe, expect, test } from 'vitest';
import { closeness, rank } from './rank_match';

const better = (typed: string, one: string, other: string) =>
  (closeness(typed, one) ?? -1) > (closeness(typed, other) ?? -1);

describe('closeness', () => {
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

  test('letters in another order do not fit', () => {
    expect(closeness('neg', 'general')).toBeUndefined();
  });

  test('case and marks do not matter', () => {
    expect(closeness('jose', 'José')).toBe(1_000);
    expect(closeness('ÉTÉ', 'ete')).toBe(1_000);
  });

  test('nothing typed fits everything alike', () => {
    expect(closeness('  ', 'a')).toBe(closeness('', 'b'));
  });

  test('a name always fits its own letters, some left out', () => {
    const name = 'incident review board';
    for (let seed = 1; seed < 200; seed += 1) {
      const typed = [...name].filter((letter, index) => letter !== ' ' && (seed >> (index % 8)) % 2 === 1).join('');
      expect(closeness(typed, name), typed).toBeDefined();
    }
  });
});

describe('rank', () => {
  const NAMES = ['release', 'general', 'design', 'green'];

  test('leaves out what does not fit, best first', () => {
    expect(rank('ge', NAMES, (name) => name)).toEqual(['general', 'green']);
  });

  test('keeps the order of equals', () => {
    expect(rank('', NAMES, (name) => name)).toEqual(NAMES);
  });

  test('what is favoured comes first among equals', () => {
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
