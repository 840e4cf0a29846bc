/** Splits a snippet at the words of the search. Pure; joined, the pieces equal the snippet. */

export interface MatchPiece {
  readonly text: string;
  readonly isWord: boolean;
}

const WORDS_MAX = 16;

export function splitAtMatches(snippet: string, query: string): readonly MatchPiece[] {
  const words = query.split(/[\s"']+/u).filter(Boolean);
  if (words.length === 0) return [{ text: snippet, isWord: false }];
  // Longer words first: `logging` is not split by `log`.
  const wanted = words.slice(0, WORDS_MAX).sort((one, other) => other.length - one.length);
  const pattern = new RegExp(`(${wanted.map(asPattern).join('|')})`, 'giu');
  const pieces = snippet.split(pattern).map((text, index) => ({ text, isWord: index % 2 === 1 }));
  return pieces.filter((piece) => piece.text !== '');
}

/** Escapes a word for a pattern. */
function asPattern(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
