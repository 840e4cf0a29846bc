/** How well a name fits what was typed: pure, for the palette and for pickers. */

/** Higher is better; undefined when the letters do not stand in the name in this order. */
export function closeness(typed: string, name: string): number | undefined {
  const wanted = fold(typed.trim());
  const given = fold(name);
  if (wanted === '') return 0;
  if (given === wanted) return 1_000;
  if (given.startsWith(wanted)) return 900 - lengthLoss(given);
  const atWord = wordStarts(given).some((start) => given.startsWith(wanted, start));
  if (atWord) return 700 - lengthLoss(given);
  if (given.includes(wanted)) return 500 - lengthLoss(given);
  return fitLetters(wanted, given);
}

/** The entries that fit, best first; `favour` is added to the fit, for what was used lately. */
export function rank<T>(
  typed: string,
  entries: readonly T[],
  nameOf: (entry: T) => string,
  favour: (entry: T) => number = () => 0,
): T[] {
  const fits: { entry: T; value: number; index: number }[] = [];
  for (const [index, entry] of entries.entries()) {
    const value = closeness(typed, nameOf(entry));
    if (value !== undefined) fits.push({ entry, value: value + favour(entry), index });
  }
  // Equal ones stay in the order they came in.
  return fits.sort((one, other) => other.value - one.value || one.index - other.index).map((one) => one.entry);
}

/** Letters without case and marks: `É` is found by `e`. */
function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLocaleLowerCase();
}

function lengthLoss(name: string): number {
  return Math.min(name.length, 99);
}

function wordStarts(name: string): number[] {
  return [...name.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map((match) => match.index);
}

/** Letters that stand apart: each at the start of a word counts, each gap costs. */
function fitLetters(wanted: string, given: string): number | undefined {
  const starts = new Set(wordStarts(given));
  let at = -1;
  let value = 300;
  for (const letter of wanted.replace(/\s+/g, '')) {
    const next = nextPlace(given, letter, at + 1, starts);
    if (next === undefined) return undefined;
    value += starts.has(next) ? 10 : -Math.min(next - at, 10);
    at = next + letter.length - 1;
  }
  return Math.max(1, value - lengthLoss(given));
}

/** The start of a later word is meant rather than a letter inside the present one, but only directly next in line. */
function nextPlace(given: string, letter: string, from: number, starts: ReadonlySet<number>): number | undefined {
  const direct = given.indexOf(letter, from);
  if (direct < 0) return undefined;
  if (direct === from || starts.has(direct)) return direct;
  const atStart = [...starts].find((start) => start > direct && given.startsWith(letter, start));
  return atStart ?? direct;
}
