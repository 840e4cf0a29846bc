import { expect, it } from 'vitest';
import { filesOfPaste, hasFiles, textAsFile } from './paste';

const PICTURE = new File(['x'], 'image.png', { type: 'image/png' });

function data(files: File[], text: string): DataTransfer {
  return { files, types: files.length > 0 ? ['Files'] : [], getData: () => text } as unknown as DataTransfer;
}

it('accepts a pasted image without text', () => {
  expect(filesOfPaste(data([PICTURE], ''))).toEqual([PICTURE]);
});

it('accepts files whose text is only their names', () => {
  expect(filesOfPaste(data([PICTURE], '/pictures/image.png'))).toEqual([PICTURE]);
});

it('pastes text that comes with an image of it', () => {
  expect(filesOfPaste(data([PICTURE], 'A table of figures'))).toEqual([]);
  expect(filesOfPaste(data([], 'words'))).toEqual([]);
});

it('distinguishes dragged files from dragged text', () => {
  expect(hasFiles(data([PICTURE], ''))).toBe(true);
  expect(hasFiles(data([], 'x'))).toBe(false);
  expect(hasFiles(null)).toBe(false);
});

it('converts a text to a file', async () => {
  const file = textAsFile('long');
  expect([file.name, file.type, await file.text()]).toEqual(['pasted.txt', 'text/plain', 'long']);
});
