/** Redaction marks such as `[email 1]` in a text. Pure. */

export interface RedactionPiece {
  readonly text: string;
  readonly isMark: boolean;
}

/** A kind, and the same number for the same value. */
const MARK = /(\[[a-z0-9-]{1,40} [0-9]{1,9}\])/u;

/**
 * Splits a text at its marks. `kinds` are the kinds that the hub redacted: other brackets were typed. Without them,
 * everything that looks like a mark counts. `typed` are marks that were typed all the same: the hub does not reuse
 * their numbers.
 */
export function cutAtMarks(
  text: string,
  kinds?: ReadonlySet<string>,
  typed: ReadonlySet<string> = NONE,
): readonly RedactionPiece[] {
  const isKnown = (mark: string) => (!kinds || kinds.has(kindOf(mark))) && !typed.has(mark);
  // Splitting by a group puts its matches at odd indexes.
  const pieces = text.split(MARK).map((part, at) => ({ text: part, isMark: at % 2 === 1 && isKnown(part) }));
  return pieces.filter((piece) => piece.text !== '');
}

/** Returns everything that looks like a mark. */
export function marksIn(text: string): readonly string[] {
  return text.split(MARK).filter((_, at) => at % 2 === 1);
}

/** Whether a text has more marks of these kinds than were made: then the others were typed. */
export function hasTypedMarks(text: string, made: number, kinds?: ReadonlySet<string>): boolean {
  return marksIn(text).filter((mark) => !kinds || kinds.has(kindOf(mark))).length > made;
}

const NONE: ReadonlySet<string> = new Set();

const kindOf = (mark: string): string => mark.slice(1, mark.indexOf(' '));
