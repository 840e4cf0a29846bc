/** What a thread is called: the beginning of the message it hangs below. */
import type { Message } from '../api/model';
import { plainText } from '../text/markdown/plain_text';

const TITLE_CHARS_MAX = 60;

export function threadTitle(root: Message | undefined): string {
  if (!root) return 'Thread';
  if (root.removed_at) return 'Thread below a removed message';
  const line = root.body.split('\n').find((one) => one.trim() !== '') ?? '';
  // The first line of a code block has no words of its own: then its text is the title.
  const title = plainText(line, TITLE_CHARS_MAX) || plainText(root.body, TITLE_CHARS_MAX);
  return title || `Thread below a message of ${root.from.name}`;
}
