/** Where something was taken out of a text, there stands a mark such as `[email 1]`. Pure. */

export interface RedactionPiece {
  readonly text: string;
  readonly isMark: boolean;
}

/** What the hub writes: a kind, and the same number for the same value. */
const MARK = /(\[[a-z0-9-]{1,40} [0-9]{1,9}\])/u;

/**
 * Cuts a text at its marks. `kinds` are those that the hub says it took out: something else in brackets is what somebody
 * wrote. Without them, whatever looks like a mark counts as one. `typed` are those that somebody wrote all the same: the hub
 * gives none of their numbers again.
 */
export function cutAtMarks(
  text: string,
  kinds?: ReadonlySet<string>,
  typed: ReadonlySet<string> = NONE,
): readonly RedactionPiece[] {
  const isKnown = (mark: string) => (!kinds || kinds.has(kindOf(mark))) && !typed.has(mark);
  // A text that is split by a group has what the group found at the odd places.
  const pieces = text.split(MARK).map((part, at) => ({ text: part, isMark: at % 2 === 1 && isKnown(part) }));
  return pieces.filter((piece) => piece.text !== '');
}

/** All that looks like a mark in a text. */
export function marksIn(text: string): readonly string[] {
  return text.split(MARK).filter((_, at) => at % 2 === 1);
}

/** Whether a text has more marks of these kinds than were made: then somebody has typed the others. */
export function hasTypedMarks(text: string, made: number, kinds?: ReadonlySet<string>): boolean {
  return marksIn(text).filter((mark) => !kinds || kinds.has(kindOf(mark))).length > made;
}

const NONE: ReadonlySet<string> = new Set();

const kindOf = (mark: string): string => mark.slice(1, mark.indexOf(' '));
