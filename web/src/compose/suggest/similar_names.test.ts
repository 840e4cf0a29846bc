import { describe, expect, it } from 'vitest';
import { distance, proposeNames } from './similar_names';

const NAMES = ['Coder', 'Coder-2', 'Code Reviewer', 'Decoder', 'Jürgen', 'Painter'];

describe('distance', () => {
  it('counts letters to insert, remove, replace and swap', () => {
    const cases: [string, string, number][] = [
      ['', '', 0],
      ['', 'abc', 3],
      ['codr', 'coder', 1],
      ['coder', 'corder', 1],
      ['cider', 'coder', 1],
      ['cdoer', 'coder', 1],
      ['kitten', 'sitting', 3],
      ['a🎉', 'a', 1],
    ];
    for (const [one, other, steps] of cases) {
      expect(distance(one, other), `${one} and ${other}`).toBe(steps);
      expect(distance(other, one), `${other} and ${one}`).toBe(steps);
    }
  });
});

describe('proposeNames', () => {
  it('ranks longer names before misspelt names, parts and containing names', () => {
    expect(proposeNames('code', NAMES, 9)).toEqual(['Coder', 'Coder-2', 'Code Reviewer', 'Decoder']);
    expect(proposeNames('Codr', NAMES)).toEqual(['Coder']);
    expect(proposeNames('coder-team', NAMES)).toEqual(['Coder']);
    expect(proposeNames('view', NAMES)).toEqual(['Code Reviewer']);
  });

  it('ignores accents and case', () => {
    expect(proposeNames('JURGEN', NAMES)).toEqual(['Jürgen']);
  });

  it('suggests nothing for a very different or very short name', () => {
    expect(proposeNames('zzzzzz', NAMES)).toEqual([]);
    expect(proposeNames('x', ['Al', 'Bo'])).toEqual([]);
  });

  it('proposes a few at most', () => {
    const many = Array.from({ length: 50 }, (_, number) => `Bot ${number}`);
    expect(proposeNames('bot', many)).toEqual(['Bot 0', 'Bot 1', 'Bot 2']);
  });
});
