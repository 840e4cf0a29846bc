import { describe, expect, it } from 'vitest';
import { lengthStatusOf } from './length_limit';
import { BODY_BYTES_MAX } from './limits';

describe('lengthStatusOf', () => {
  it('shows nothing below 90 % of the limit', () => {
    expect(lengthStatusOf('')).toEqual({ state: 'plenty' });
    expect(lengthStatusOf('x'.repeat(58_982))).toEqual({ state: 'plenty' });
  });

  it('counts down from 90 % on', () => {
    expect(lengthStatusOf('x'.repeat(58_983))).toEqual({ state: 'scarce', words: '6,553 characters left' });
    expect(lengthStatusOf('x'.repeat(BODY_BYTES_MAX))).toEqual({ state: 'scarce', words: '0 characters left' });
  });

  it('reports by how much a text is too long', () => {
    const room = lengthStatusOf('x'.repeat(BODY_BYTES_MAX + 1_204));
    expect(room.state).toBe('none');
    expect(room).toMatchObject({ words: expect.stringContaining('1,204 characters too long') });
  });

  it('counts bytes when characters take more than one', () => {
    expect(lengthStatusOf('ä'.repeat(30_000))).toEqual({ state: 'scarce', words: '5,536 bytes left' });
    expect(lengthStatusOf('🎉'.repeat(16_385))).toMatchObject({
      state: 'none',
      words: expect.stringContaining('4 bytes too'),
    });
  });
});
