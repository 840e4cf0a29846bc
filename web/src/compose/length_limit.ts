/** Checks the length of a text against the limit. The hub counts bytes of UTF-8. */
import { BODY_BYTES_MAX, BODY_WARNING_SHARE } from './limits';

export type LengthStatus =
  | { state: 'plenty' }
  /** Close to the limit. */
  | { state: 'scarce'; words: string }
  /** Over the limit: cannot be sent. */
  | { state: 'none'; words: string };

const NUMBER = new Intl.NumberFormat('en');
const encoder = new TextEncoder();

export function lengthStatusOf(text: string): LengthStatus {
  // A UTF-16 unit takes at most three bytes in UTF-8: short texts need not be counted.
  if (text.length * 3 < BODY_BYTES_MAX * BODY_WARNING_SHARE) return { state: 'plenty' };
  const bytes = encoder.encode(text).length;
  if (bytes < BODY_BYTES_MAX * BODY_WARNING_SHARE) return { state: 'plenty' };
  // "Characters" is only true where each character is one byte.
  const unit = bytes === text.length ? 'characters' : 'bytes';
  const left = BODY_BYTES_MAX - bytes;
  return left >= 0
    ? { state: 'scarce', words: `${NUMBER.format(left)} ${unit} left` }
    : { state: 'none', words: `${NUMBER.format(-left)} ${unit} too long to send. Shorten it, or attach it as a file.` };
}
