import { beforeEach, expect, it, vi } from 'vitest';
import type { Attachment } from '../../api/model';
import { forgetPreview, keepPreview, pictureOf, previewUrl } from './previews';

const PICTURE: Attachment = { filename: 'a.png', media_type: 'image/png', size: 1, artifact_id: 'art_1' };

beforeEach(() => {
  URL.createObjectURL = vi.fn(() => 'blob:a');
  URL.revokeObjectURL = vi.fn();
});

it('shows the local preview while it is cached, then the file of the hub', () => {
  keepPreview(PICTURE, 'blob:a');
  expect(pictureOf(PICTURE)).toBe('blob:a');
  forgetPreview(PICTURE);
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:a');
  expect(pictureOf(PICTURE)).toBe('/artifacts/art_1/content');
});

it('revokes the older preview when the same file is attached again', () => {
  keepPreview(PICTURE, 'blob:a');
  keepPreview(PICTURE, 'blob:b');
  expect(URL.revokeObjectURL).toHaveBeenCalledWith('blob:a');
  expect(pictureOf(PICTURE)).toBe('blob:b');
  forgetPreview(PICTURE);
});

it('creates previews only for image types that browsers render', () => {
  expect(previewUrl(new File(['x'], 'a.png', { type: 'image/png' }))).toBe('blob:a');
  expect(previewUrl(new File(['x'], 'a.svg', { type: 'image/svg+xml' }))).toBeUndefined();
  expect(pictureOf({ ...PICTURE, media_type: 'application/pdf' })).toBeUndefined();
});
