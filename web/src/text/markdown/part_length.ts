/** Finds where a long list or table is split, reading no more of the text than needed. */

/** Length of what was read, and the ends of its items or rows, in ascending order. */
export interface Read {
  readonly chars: number;
  readonly ends: readonly number[];
}

export interface Part {
  /** Length of the text to read the part from. */
  readonly chars: number;
  /** More items or rows follow. */
  readonly isCut: boolean;
}

/**
 * Returns the first part: up to the first end at or after `partChars` that another item or row follows. Depends only on
 * complete lines, so a streamed text is split in the same places as the whole.
 */
export function partLength(
  text: string,
  partChars: number,
  read: (start: string) => Read | undefined,
): Part | undefined {
  for (let chars = partChars * 2; ; chars *= 4) {
    const start = wholeLines(text, chars);
    const found = read(start);
    if (!found) return undefined;
    const cut = found.ends.slice(0, -1).find((end) => end >= partChars);
    if (cut !== undefined) return { chars: cut, isCut: true };
    const isAllRead = start.length === text.length || found.chars < start.trimEnd().length;
    if (isAllRead) return { chars: start.length, isCut: false };
  }
}

export function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}

/** Returns at least so many characters, to the end of a line. */
function wholeLines(text: string, chars: number): string {
  const end = chars < text.length ? text.indexOf('\n', chars) + 1 : 0;
  return end === 0 ? text : text.slice(0, end);
}
