import { expect, test } from 'vitest';
import type { Attachment } from '../../api/model';
import { aMessage } from '../../state/testing/fixtures';
import { sizeText, sortFiles, unattachedArtifacts } from './attachment_files';

const file = (more: Partial<Attachment> = {}): Attachment => ({
  filename: 'plan.pdf',
  media_type: 'application/pdf',
  size: 1_234_567,
  artifact_id: 'art_1',
  ...more,
});

test('pictures of the hub are shown, in order', () => {
  const { pictures, links } = sortFiles([
    file({ filename: 'a.png', media_type: 'image/png' }),
    file({ filename: 'b.webp', media_type: 'image/webp', artifact_id: 'art/2' }),
  ]);
  expect(pictures).toEqual([
    { src: '/artifacts/art_1/content', alt: 'a.png' },
    { src: '/artifacts/art%2F2/content', alt: 'b.webp' },
  ]);
  expect(links).toEqual([]);
});

test.each<[string, Partial<Attachment>]>([
  ['from elsewhere', { media_type: 'image/png', artifact_id: null, url: 'https://files.example/a.png' }],
  ['that can hold scripts', { media_type: 'image/svg+xml' }],
])('a picture %s is only a link', (_, more) => {
  const { pictures, links } = sortFiles([file(more)]);
  expect([pictures.length, links.length]).toEqual([0, 1]);
});

test('a file shows its kind and size', () => {
  const [link] = sortFiles([file()]).links;
  expect(link).toEqual({
    name: 'plan.pdf',
    href: '/artifacts/art_1/content',
    about: 'PDF · 1.2 MB',
    isForeign: false,
  });
});

test('an external file shows its host', () => {
  const [link] = sortFiles([file({ artifact_id: null, url: 'https://files.example/x/plan.pdf' })]).links;
  expect(link).toMatchObject({ about: 'PDF · files.example', isForeign: true });
});

test('an address that is not http or https is no link', () => {
  const [link] = sortFiles([file({ artifact_id: null, url: 'javascript:alert(1)' })]).links;
  expect(link?.href).toBe('');
});

test('an artifact that is attached is not listed twice', () => {
  const message = aMessage({ attachments: [file()], artifacts: ['art_1', 'art_2'] });
  expect(unattachedArtifacts(message)).toEqual(['art_2']);
});

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_024, '1.0 kB'],
  [3_500, '3.4 kB'],
  [10_240, '10 kB'],
  [14_200, '14 kB'],
  [1_048_575, '1.0 MB'],
  [1_200_000, '1.1 MB'],
  [52_428_800, '50 MB'],
  [5_368_709_120, '5.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
