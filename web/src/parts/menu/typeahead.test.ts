import { expect, test } from 'vitest';
import { Typeahead } from './typeahead';

const LABELS = ['Copy', 'Copy link', 'Delete', 'Edit'];

test('a letter finds the next entry that begins with it', () => {
  expect(new Typeahead().find('d', 0, LABELS, 0)).toBe(2);
});

test('the same letter again moves on, and wraps around', () => {
  const typed = new Typeahead();
  expect(typed.find('c', 0, LABELS, -1)).toBe(0);
  expect(typed.find('c', 100, LABELS, 0)).toBe(1);
  expect(typed.find('c', 200, LABELS, 1)).toBe(0);
});

test('letters in a row are one word', () => {
  const typed = new Typeahead();
  typed.find('c', 0, LABELS, -1);
  for (const [step, letter] of [...'opy l'].entries()) typed.find(letter, 100 * (step + 1), LABELS, 0);
  expect(typed.find('i', 700, LABELS, 0)).toBe(1);
});

test('after a pause a new word begins', () => {
  const typed = new Typeahead();
  typed.find('c', 0, LABELS, -1);
  expect(typed.find('e', 2_000, LABELS, 0)).toBe(3);
});

test('letters that no entry starts with find nothing', () => {
  expect(new Typeahead().find('x', 0, LABELS, 0)).toBeUndefined();
});
