import { describe, expect, it } from 'vitest';
import { lengthStatusOf, sizeText } from './length_limit';
import { BODY_BYTES_MAX } from './limits';

describe('roomFor', () => {
  it('says nothing before 90 % of the limit', () => {
    expect(lengthStatusOf('')).toEqual({ state: 'plenty' });
    expect(lengthStatusOf('x'.repeat(58_982))).toEqual({ state: 'plenty' });
  });

  it('counts down from 90 % on', () => {
    expect(lengthStatusOf('x'.repeat(58_983))).toEqual({ state: 'scarce', words: '6,553 characters left' });
    expect(lengthStatusOf('x'.repeat(BODY_BYTES_MAX))).toEqual({ state: 'scarce', words: '0 characters left' });
  });

  it('says how much too long a text is', () => {
    const room = lengthStatusOf('x'.repeat(BODY_BYTES_MAX + 1_204));
    expect(room.state).toBe('none');
    expect(room).toMatchObject({ words: expect.stringContaining('1,204 characters too long') });
  });

  it('counts bytes, and says so, where letters take more than one', () => {
    expect(lengthStatusOf('ä'.repeat(30_000))).toEqual({ state: 'scarce', words: '5,536 bytes left' });
    expect(lengthStatusOf('🎉'.repeat(16_385))).toMatchObject({
      state: 'none',
      words: expect.stringContaining('4 bytes too'),
    });
  });
});

describe('sizeInWords', () => {
  it('has two figures or whole ones', () => {
    expect([999, 1_024, 3_500, 10_240, 52_428_800, 1_048_575].map(sizeText)).toEqual([
      '999 bytes',
      '1.0 kB',
      '3.4 kB',
      '10 kB',
      '50 MB',
      '1.0 MB',
    ]);
  });
});
