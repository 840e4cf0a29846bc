import { expect, it } from 'vitest';
import { fitOf, foldLoosely, foldName } from './fold_name';

it('compares names as the hub does: case does not matter, accents do', () => {
  expect(foldName('ÄRGER')).toBe(foldName('a\u0308rger'));
  expect([foldName('Straße'), foldName('STRAẞE')]).toEqual(['strasse', 'strasse']);
  expect(foldName('Jose')).not.toBe(foldName('José'));
});

it('looks for names without accents', () => {
  expect(foldLoosely('José')).toBe('jose');
});

it('tells beginnings, later words and insides apart', () => {
  expect(fitOf('co', 'Coder')).toBe(0);
  expect(fitOf('rev', 'Code-Reviewer')).toBe(1);
  expect(fitOf('ode', 'Coder')).toBe(2);
  expect(fitOf('x', 'Coder')).toBeUndefined();
  expect(fitOf('coder x', 'Coder')).toBeUndefined();
});
