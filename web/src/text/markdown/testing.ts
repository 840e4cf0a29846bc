/** Splits a text into chunks of 1 to `charsMax` code units, mostly short. May split surrogate pairs. */
export function piecesOf(text: string, random: () => number, charsMax = 40): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = 1 + Math.floor(random() ** 2 * charsMax);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}
