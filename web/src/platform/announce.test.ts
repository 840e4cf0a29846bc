import { createRoot } from 'solid-js';
import { expect, test } from 'vitest';
import { announce, announcement } from './announce';

test('the same words again are a change, so that they are said again', () => {
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
