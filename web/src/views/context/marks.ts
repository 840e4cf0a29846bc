/** Where something was taken out of a text, there stands a mark such as `[email 1]`. Pure. */

export interface Piece {
  readonly text: string;
  readonly isMark: boolean;
}

/** What the hub writes: a kind, and the same number for the same value. */
const MARK = /(\[[a-z0-9-]{1,40} [0-9]{1,9}\])/u;

/**
 * Cuts a text at its marks. `kinds` are those that the hub says it took out: something else in brackets is what somebody
 * wrote. Without them, whatever looks like a mark counts as one.
 */
export function cutAtMarks(text: string, kinds?: ReadonlySet<string>): readonly Piece[] {
  const isKnown = (mark: string) => !kinds || kinds.has(mark.slice(1, mark.indexOf(' ')));
  // A text that is split by a group has what the group found at the odd places.
  const pieces = text.split(MARK).map((part, at) => ({ text: part, isMark: at % 2 === 1 && isKnown(part) }));
  return pieces.filter((piece) => piece.text !== '');
}
