import { createRoot } from 'solid-js';
import { expect, test } from 'vitest';
import { announce, announcement } from './announce';

test('the same text again is a change, so that it is announced again', () => {
  createRoot((dispose) => {
    announce('Copied');
    const first = announcement();
    announce('Copied');
    expect(announcement()).not.toBe(first);
    expect(announcement().trim()).toBe('Copied');
    announce('Copied');
    expect(announcement()).toBe(first);
    dispose();
  });
});
