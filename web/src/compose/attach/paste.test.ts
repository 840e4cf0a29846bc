import { expect, it } from 'vitest';
import { filesOfPaste, hasFiles, textAsFile } from './paste';

const PICTURE = new File(['x'], 'image.png', { type: 'image/png' });

function data(files: File[], text: string): DataTransfer {
  return { files, types: files.length > 0 ? ['Files'] : [], getData: () => text } as unknown as DataTransfer;
}

it('takes a picture that comes alone', () => {
  expect(filesOfPaste(data([PICTURE], ''))).toEqual([PICTURE]);
});

it('takes files that bring only their names', () => {
  expect(filesOfPaste(data([PICTURE], '/pictures/image.png'))).toEqual([PICTURE]);
});

it('leaves words alone that come with their picture', () => {
  expect(filesOfPaste(data([PICTURE], 'A table of figures'))).toEqual([]);
  expect(filesOfPaste(data([], 'words'))).toEqual([]);
});

it('distinguishes dragged files from dragged text', () => {
  expect(hasFiles(data([PICTURE], ''))).toBe(true);
  expect(hasFiles(data([], 'x'))).toBe(false);
  expect(hasFiles(null)).toBe(false);
});

it('makes a file of a text', async () => {
  const file = textAsFile('long');
  expect([file.name, file.type, await file.text()]).toEqual(['pasted.txt', 'text/plain', 'long']);
});
