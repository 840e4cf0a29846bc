import { describe, expect, it, vi } from 'vitest';
import { seeded } from '../testing/tools';
import { charsIn, GrowingTextBuffer } from './growing_text';

describe('a growing text', () => {
  it('counts characters as the hub does, not as JavaScript does', () => {
    const text = new GrowingTextBuffer('a😀');
    expect(text.grow(2, 'b')).toBe('done');
    expect(text.grow(3, '😀')).toBe('done');
    expect(text.text()).toBe('a😀b😀');
    expect(text.grow(5, '?')).toBe('misplaced');
  });

  it('ignores a known chunk, and adds what extends the text', () => {
    const text = new GrowingTextBuffer('Hello 😀');
    expect(text.grow(6, '😀')).toBe('known');
    expect(text.grow(0, 'Hel')).toBe('known');
    expect(text.grow(4, 'o 😀!')).toBe('done');
    expect(text.text()).toBe('Hello 😀!');
    expect(text.grow(9, '')).toBe('misplaced');
    expect(text.grow(8, '')).toBe('known');
  });

  it('rejects a chunk that contradicts the text', () => {
    const text = new GrowingTextBuffer('Hello');
    expect(text.grow(3, 'xx')).toBe('misplaced');
    expect(text.grow(0, 'Help me')).toBe('misplaced');
    expect(text.text()).toBe('Hello');
  });

  it('calls listeners with the whole text until they are removed', () => {
    const text = new GrowingTextBuffer();
    const onText = vi.fn();
    const stop = text.listen(onText);
    text.grow(0, 'a');
    text.grow(0, 'a');
    text.set('b');
    stop();
    text.set('c');
    expect(onText.mock.calls).toEqual([['a'], ['b']]);
  });

  it('is the same text whatever the pieces it comes in', () => {
    const whole = [...'Grüße, 世界 😀👩‍🚀 e\u0301!'];
    for (let seed = 1; seed < 40; seed += 1) {
      const random = seeded(seed);
      const text = new GrowingTextBuffer();
      for (let end = 0; end < whole.length; ) {
        const start = Math.max(0, end - Math.floor(random() * 4));
        end = Math.min(whole.length, end + 1 + Math.floor(random() * 4));
        expect(text.grow(start, whole.slice(start, end).join(''))).toBe('done');
      }
      expect(text.text()).toBe(whole.join(''));
    }
  });
});

it('code points are counted without a list of them', () => {
  for (const text of ['', 'abc', '😀', 'a😀b', '\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00']) {
    expect(charsIn(text)).toBe([...text].length);
  }
});
