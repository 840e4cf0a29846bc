import { afterEach, expect, test, vi } from 'vitest';
import { copyText } from './clipboard';

afterEach(() => vi.restoreAllMocks());

test('a text goes to the clipboard', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  expect(await copyText('parlour')).toBe(true);
  expect(write).toHaveBeenCalledWith('parlour');
});

test('without a clipboard the text is copied from a field, which does not stay', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
  const copied: string[] = [];
  document.execCommand = () => {
    copied.push(document.querySelector('textarea')?.value ?? '');
    return true;
  };
  expect(await copyText('parlour')).toBe(true);
  expect(copied).toEqual(['parlour']);
  expect(document.querySelector('textarea')).toBeNull();
});
