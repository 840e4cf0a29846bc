import { expect, test } from 'vitest';
import { EMOJI, emojiName, findEmoji, QUICK_REACTIONS } from './emoji';

const signs = (query: string) => findEmoji(query).map((emoji) => emoji.sign);

test('an empty query finds them all, each once', () => {
  expect(new Set(signs('')).size).toBe(EMOJI.length);
});

test.each([
  ['bug', ['🐛']],
  ['THUMBS d', ['👎']],
  ['🚀', ['🚀']],
  ['zebra', []],
])('%s finds %o', (query, found) => {
  expect(signs(query)).toEqual(found);
});

test('the quick ones can be picked too', () => {
  for (const { sign } of QUICK_REACTIONS) expect(signs('')).toContain(sign);
});

test('an unknown emoji is its own name', () => {
  expect([emojiName('👍'), emojiName('🐛'), emojiName('🦀')]).toEqual(['thumbs up', 'bug', '🦀']);
});
