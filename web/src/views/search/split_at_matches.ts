/** Cuts a snippet where the words of a search stand in it. Pure, and always the same text again. */

export interface MatchPiece {
  readonly text: string;
  readonly isWord: boolean;
}

/** More words than this are not worth marking. */
const WORDS_MAX = 16;

export function splitAtMatches(snippet: string, query: string): readonly MatchPiece[] {
  const words = query.split(/[\s"']+/u).filter(Boolean);
  if (words.length === 0) return [{ text: snippet, isWord: false }];
  // Longer words first: `logging` is not cut by `log`.
  const wanted = words.slice(0, WORDS_MAX).sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`(${wanted.map(asPattern).join('|')})`, 'giu');
  const pieces = snippet.split(pattern).map((text, index) => ({ text, isWord: index % 2 === 1 }));
  return pieces.filter((piece) => piece.text !== '');
}

/** Signs of a word that mean something in a pattern, as themselves. */
function asPattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
