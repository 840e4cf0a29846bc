import { expect, it } from 'vitest';
import { findUnknownName } from './unknown_names';

const KNOWN = { names: ['Coder', 'Code Reviewer', 'Jürgen'], ids: ['agt_1'] };

function unknown(text: string, caret = text.length) {
  return findUnknownName(text, caret, KNOWN);
}

it('finds a finished unknown name, with suggestions', () => {
  expect(unknown('Hi @Codr please')).toEqual({ start: 3, end: 8, name: 'Codr', proposals: ['Coder'] });
});

it('reports no known names, whatever their case and spaces', () => {
  for (const text of ['@Coder hi', '@CODER hi', '@code reviewer hi', '@JÜRGEN hi', '@Coder, hi', '@Coder. hi']) {
    expect(unknown(text), text).toBeUndefined();
  }
});

it('reports nothing while the name is being typed', () => {
  expect(unknown('@Codr')).toBeUndefined();
  expect(unknown('@Code ')).toBeUndefined();
  expect(unknown('@Code Rev')).toBeUndefined();
  expect(unknown('@Code is')?.name).toBe('Code');
  expect(unknown('@Code ', 0)?.name).toBe('Code');
});

it('reports nothing for wide mentions, mail addresses and code', () => {
  expect(unknown('@everyone @agents @all me@x.org `@Codr x` go')).toBeUndefined();
});

it('suggests wide mentions for @here', () => {
  expect(unknown('@here look')?.proposals).toEqual(['everyone', 'agents']);
});

it('accepts ids, and never suggests one', () => {
  expect(unknown('@agt_1 hi')).toBeUndefined();
  expect(unknown('@agt hi')?.proposals).toEqual([]);
});

it('reports the first of several', () => {
  expect(unknown('@Coder @Xx @Yy z')?.name).toBe('Xx');
});
