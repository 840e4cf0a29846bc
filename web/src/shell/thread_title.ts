/** What a thread is called: the beginning of the message it hangs below. */
import type { Message } from '../api/model';

const TITLE_CHARS_MAX = 60;

export function threadTitle(root: Message | undefined): string {
  if (!root) return 'Thread';
  if (root.removed_at) return 'Thread below a removed message';
  const line = root.body.split('\n').find((one) => one.trim() !== '') ?? '';
  return shorten(line.trim()) || `Thread below a message of ${root.from.name}`;
}

/** Cuts between characters, never inside one. */
function shorten(text: string): string {
  const signs = [...text];
  return signs.length <= TITLE_CHARS_MAX ? text : `${signs.slice(0, TITLE_CHARS_MAX - 1).join('')}…`;
}
