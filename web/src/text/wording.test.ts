import { expect, test } from 'vitest';
import { capitalize, joinNames } from './wording';

test('only the first letter becomes a capital', () => {
  expect(['run 7k2f', 'über uns', ''].map(capitalize)).toEqual(['Run 7k2f', 'Über uns', '']);
});

test('names are joined by commas and a final "and"', () => {
  expect(joinNames([])).toBe('');
  expect(joinNames(['Coder'])).toBe('Coder');
  expect(joinNames(['Coder', 'Scout'])).toBe('Coder and Scout');
  expect(joinNames(['Coder', 'Scout', 'Guide'])).toBe('Coder, Scout and Guide');
});
