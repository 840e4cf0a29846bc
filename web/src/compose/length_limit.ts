/** How much room a text has left, in words. The hub counts bytes, so letters beyond a–z count more than once. */
import { BODY_BYTES_MAX, BODY_SHARE_TOLD } from './limits';

export type LengthStatus =
  | { state: 'plenty' }
  /** Near the end: said, but nothing is wrong. */
  | { state: 'scarce'; words: string }
  /** Too long to send; nothing is cut. */
  | { state: 'none'; words: string };

const NUMBER = new Intl.NumberFormat('en');
const encoder = new TextEncoder();

export function lengthStatusOf(text: string): LengthStatus {
  // No letter takes more than three bytes per unit of a JavaScript string: short texts need not be counted.
  if (text.length * 3 < BODY_BYTES_MAX * BODY_SHARE_TOLD) return { state: 'plenty' };
  const bytes = encoder.encode(text).length;
  if (bytes < BODY_BYTES_MAX * BODY_SHARE_TOLD) return { state: 'plenty' };
  // Only where each letter is one byte is "characters" the truth.
  const unit = bytes === text.length ? 'characters' : 'bytes';
  const left = BODY_BYTES_MAX - bytes;
  return left >= 0
    ? { state: 'scarce', words: `${NUMBER.format(left)} ${unit} left` }
    : { state: 'none', words: `${NUMBER.format(-left)} ${unit} too long to send. Shorten it, or attach it as a file.` };
}

/** A size for people: `812 bytes`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB'];
  let size = bytes / 1_024;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_024;
    unit += 1;
  }
  return `${size < 9.95 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}
