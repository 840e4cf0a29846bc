import { describe, expect, it } from 'vitest';
import { clampWidth, PANE_WIDTH_MAX, PANE_WIDTH_MIN, paneWidth, setPaneWidth, widthAfterKey } from './pane_width';

describe('the width of the pane', () => {
  it('stays within its bounds', () => {
    expect(clampWidth(10)).toBe(PANE_WIDTH_MIN);
    expect(clampWidth(4_000)).toBe(PANE_WIDTH_MAX);
    expect(clampWidth(400.4)).toBe(400);
  });

  it('is the default when the stored value is no number', () => {
    expect(clampWidth(Number('wide'))).toBe(336);
  });

  it('grows to the left by keys, as the separator moves', () => {
    expect(widthAfterKey(400, 'ArrowLeft')).toBe(416);
    expect(widthAfterKey(400, 'ArrowRight')).toBe(384);
    expect(widthAfterKey(400, 'Home')).toBe(PANE_WIDTH_MIN);
    expect(widthAfterKey(400, 'End')).toBe(PANE_WIDTH_MAX);
    expect(widthAfterKey(400, 'a')).toBeUndefined();
  });

  it('is kept in the browser', () => {
    setPaneWidth(444);
    expect(paneWidth()).toBe(444);
    expect(localStorage.getItem('parlour.pane')).toBe('444');
  });
});
