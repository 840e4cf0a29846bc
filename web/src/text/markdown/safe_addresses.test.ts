import { expect, it } from 'vitest';
import { linkAddress, pictureAddress } from './safe_addresses';

it.each(['https://example.org', 'HTTP://example.org/a b', 'mailto:a@b.example'])('leads to %s', (address) => {
  expect(linkAddress(address)).toBeDefined();
});

it.each([
  'javascript:x',
  ' javascript:x',
  'java\tscript:x',
  'vbscript:x',
  'data:text/html,x',
  'blob:https://example.org/1',
  'file:///etc/passwd',
  'ftp://example.org',
  '//example.org',
  '/sign-out',
  '#x',
  '',
  `https://example.org/${'a'.repeat(3000)}`,
])('does not lead to %j', (address) => {
  expect(linkAddress(address)).toBeUndefined();
});

it('shows only images of this hub', () => {
  const own = '/artifacts/art_01/content';
  expect(pictureAddress(own)).toBe(own);
  expect(pictureAddress(window.location.origin + own)).toBe(own);
  expect(pictureAddress(`https://example.org${own}`)).toBeUndefined();
  expect(pictureAddress('/artifacts/art_01/content/../../../sign-out')).toBeUndefined();
  expect(pictureAddress('/artifacts/../content')).toBeUndefined();
});

it('shows data URLs only of image types without scripts', () => {
  expect(pictureAddress('data:image/png;base64,AAAA')).toBeDefined();
  expect(pictureAddress('data:image/svg+xml;base64,AAAA')).toBeUndefined();
  expect(pictureAddress('data:image/png;base64,AA"onerror=x')).toBeUndefined();
  expect(pictureAddress('data:text/html;base64,AAAA')).toBeUndefined();
});
