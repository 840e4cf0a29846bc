import { expect, it } from 'vitest';
import { foldLoosely, foldName, matchQualityOf } from './fold_name';

it('compares names as the hub does: case does not matter, accents do', () => {
  expect(foldName('ÄRGER')).toBe(foldName('a\u0308rger'));
  expect([foldName('Straße'), foldName('STRAẞE')]).toEqual(['strasse', 'strasse']);
  expect(foldName('Jose')).not.toBe(foldName('José'));
});

it('looks for names without accents', () => {
  expect(foldLoosely('José')).toBe('jose');
});

it('distinguishes starts, later words and inner matches', () => {
  expect(matchQualityOf('co', 'Coder')).toBe(0);
  expect(matchQualityOf('rev', 'Code-Reviewer')).toBe(1);
  expect(matchQualityOf('ode', 'Coder')).toBe(2);
  expect(matchQualityOf('x', 'Coder')).toBeUndefined();
  expect(matchQualityOf('coder x', 'Coder')).toBeUndefined();
});
