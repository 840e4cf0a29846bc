import { expect, it } from 'vitest';
import { firstLines, partLength } from './part_length';

/** Reads lines until one that starts with `#`. */
function readLines(start: string) {
  const lines = start.split(/(?<=\n)/);
  const end = lines.findIndex((line) => line.startsWith('#'));
  let chars = 0;
  const ends = lines.slice(0, end < 0 ? undefined : end).map((line) => {
    chars += line.length;
    return chars;
  });
  return { chars, ends };
}

it('cuts at the first end behind the length, if more follows', () => {
  expect(partLength('abc\n'.repeat(10), 6, readLines)).toEqual({ chars: 8, isCut: true });
  expect(partLength('abc\nabc\n', 6, readLines)?.isCut).toBe(false);
});

it('cuts at the same place however much of the text is there', () => {
  const text = 'abcd\n'.repeat(100);
  for (let length = 30; length <= text.length; length += 5) {
    expect(partLength(text.slice(0, length), 20, readLines)).toEqual({ chars: 20, isCut: true });
  }
});

it('does not look further than needed', () => {
  const seen: number[] = [];
  partLength('abc\n'.repeat(100_000), 100, (start) => {
    seen.push(start.length);
    return readLines(start);
  });
  expect(seen).toEqual([204]);
});

it('reads on while a single line is longer', () => {
  expect(partLength(`${'a'.repeat(5000)}\nb\n`, 10, readLines)).toEqual({ chars: 5001, isCut: true });
});

it('gives the first lines of a text', () => {
  expect(firstLines('a\nb\nc', 2)).toBe('a\nb\n');
  expect(firstLines('a', 2)).toBe('a');
});
