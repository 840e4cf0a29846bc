/** The title of a thread: the start of its first message. */
import type { Message } from '../api/model';
import { plainText } from '../text/markdown/plain_text';

const TITLE_CHARS_MAX = 60;

export function threadTitle(root: Message | undefined): string {
  if (!root) return 'Thread';
  if (root.removed_at) return 'Thread below a removed message';
  const line = root.body.split('\n').find((one) => one.trim() !== '') ?? '';
  // A code fence has no text in its first line: the whole body is used.
  const title = plainText(line, TITLE_CHARS_MAX) || plainText(root.body, TITLE_CHARS_MAX);
  return title || `Thread below a message of ${root.from.name}`;
}
