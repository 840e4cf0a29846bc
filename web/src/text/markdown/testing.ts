/** Deterministic random numbers. */

export function seeded(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32;
  };
}

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
