import { expect, it } from 'vitest';
import { createPreferences, DEFAULT_PREFERENCES, readPreferences } from './preferences';
import { sharedStorage } from './testing/tools';

it('preferences are kept, and the same in all tabs', () => {
  const { tab } = sharedStorage();
  const [[here, change], [there]] = [createPreferences(tab()), createPreferences(tab())];
  change({ theme: 'dark', enterSends: false });
  expect(here()).toEqual({ ...DEFAULT_PREFERENCES, theme: 'dark', enterSends: false });
  expect(there()).toEqual(here());
  expect(createPreferences(tab())[0]()).toEqual(here());
});

it('invalid preferences are replaced by defaults', () => {
  const odd = { theme: 'pink', density: 3, singleColumn: 'yes', letterKeys: false };
  expect(readPreferences(odd)).toEqual({ ...DEFAULT_PREFERENCES, letterKeys: false });
  expect([undefined, null, 7, 'x'].map(readPreferences)).toEqual(Array(4).fill(DEFAULT_PREFERENCES));
});
