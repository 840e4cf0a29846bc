import { describe, expect, it } from 'vitest';
import { compareNames, nameEnds } from './names';

function names(tail: string): string[] {
  return nameEnds(tail).map((end) => tail.slice(0, end));
}

describe('nameEnds', () => {
  it('returns every position where the name can end', () => {
    expect(names("Ann O'Neil, hi")).toEqual(['Ann', 'Ann O', "Ann O'Neil"]);
  });

  it('does not cut a word that a dash or dot binds', () => {
    expect(names('Coder-2 x')).toEqual(['Coder-2', 'Coder-2 x']);
    expect(names('Coder. Next')).toEqual(['Coder', 'Coder. Next']);
  });

  it('ends at two spaces, at other characters, and at the length limit', () => {
    expect(names('a  b')).toEqual(['a']);
    expect(names('a\nb')).toEqual(['a']);
    expect(names('x'.repeat(65))).toEqual([]);
    expect(names('')).toEqual([]);
  });
});

it('orders numbers in names as numbers', () => {
  const names = ['room-10', 'room-2', 'Room-1', 'general'];
  expect(names.sort(compareNames)).toEqual(['general', 'Room-1', 'room-2', 'room-10']);
});
