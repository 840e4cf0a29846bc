/** Where a long list or table is cut, looking no further into the text than needed. */

/** What was read from the start of a text: how much of it, and where its items or rows end, in ascending order. */
export interface Read {
  readonly chars: number;
  readonly ends: readonly number[];
}

export interface Part {
  /** How much of the text the part may be read from. */
  readonly chars: number;
  /** An item or row follows that is not in this part. */
  readonly isCut: boolean;
}

/**
 * The first part of a list or table: up to the first end at or behind `partChars` that another item or row follows. It
 * depends only on finished lines, so a text that comes in pieces is cut where the whole would be.
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

/** The first lines of a text. */
export function firstLines(text: string, count: number): string {
  let end = 0;
  for (let line = 0; line < count; line += 1) {
    end = text.indexOf('\n', end) + 1;
    if (end === 0) return text;
  }
  return text.slice(0, end);
}

/** At least so many characters of a text, to the end of a line. */
function wholeLines(text: string, chars: number): string {
  const end = chars < text.length ? text.indexOf('\n', chars) + 1 : 0;
  return end === 0 ? text : text.slice(0, end);
}
