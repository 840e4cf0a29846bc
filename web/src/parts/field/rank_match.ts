/** Ranks names by how well they match a query. Pure. */

/** Returns a score, higher is better; undefined when the letters do not occur in this order. */
export function matchScore(typed: string, name: string): number | undefined {
  const wanted = fold(typed.trim());
  const given = fold(name);
  if (wanted === '') return 0;
  if (given === wanted) return 1_000;
  if (given.startsWith(wanted)) return 900 - lengthPenalty(given);
  const atWord = wordStarts(given).some((start) => given.startsWith(wanted, start));
  if (atWord) return 700 - lengthPenalty(given);
  if (given.includes(wanted)) return 500 - lengthPenalty(given);
  return scoreLetters(wanted, given);
}

/** Returns the matching entries, best first; `bonus` is added to the score. */
export function rank<T>(
  typed: string,
  entries: readonly T[],
  nameOf: (entry: T) => string,
  bonus: (entry: T) => number = () => 0,
): T[] {
  const fits: { entry: T; value: number; index: number }[] = [];
  for (const [index, entry] of entries.entries()) {
    const value = matchScore(typed, nameOf(entry));
    if (value !== undefined) fits.push({ entry, value: value + bonus(entry), index });
  }
  // A stable sort.
  return fits.sort((one, other) => other.value - one.value || one.index - other.index).map((one) => one.entry);
}

/** Removes case and accents: `É` matches `e`. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
}

function lengthPenalty(name: string): number {
  return Math.min(name.length, 99);
}

function wordStarts(name: string): number[] {
  return [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map((match) => match.index);
}

/** Scores letters that are apart: a letter at the start of a word counts more, a gap costs. */
function scoreLetters(wanted: string, given: string): number | undefined {
  const starts = new Set(wordStarts(given));
  let at = -1;
  let value = 300;
  for (const letter of wanted.replace(/\s+/g, '')) {
    const next = nextLetterIndex(given, letter, at + 1, starts);
    if (next === undefined) return undefined;
    value += starts.has(next) ? 10 : -Math.min(next - at, 10);
    at = next + letter.length - 1;
  }
  return Math.max(1, value - lengthPenalty(given));
}

/** Prefers the start of the next word to a letter inside the current one. */
function nextLetterIndex(given: string, letter: string, from: number, starts: ReadonlySet<number>): number | undefined {
  const direct = given.indexOf(letter, from);
  if (direct < 0) return undefined;
  if (direct === from || starts.has(direct)) return direct;
  const atStart = [...starts].find((start) => start > direct && given.startsWith(letter, start));
  return atStart ?? direct;
}
