/** Names of members and channels by the rules of the hub (`mention.rs` and `name.rs` in `parlour-core`). Pure. */

/** Limit of the hub. */
export const NAME_CHARS_MAX = 64;

/** Numbers inside names count as numbers: `room-2` is before `room-10`. */
const NATURAL_ORDER = new Intl.Collator(undefined, { numeric: true });

export function compareNames(one: string, other: string): number {
  return NATURAL_ORDER.compare(one, other);
}

export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^[\p{L}\p{N}\p{M}_]/u.test(character);
}

/** Scripts without spaces have no word borders: Thai, Hangul, Hiragana, Katakana and Han, as in `mention.rs`. */
const UNSPACED_LETTER =
  /^(?=[\p{L}\p{N}\p{M}_])[\u0E00-\u0E7F\u1100-\u11FF\u3131-\u318E\uAC00-\uD7FF\uFFA0-\uFFDC\u3041-\u30FF\u31F0-\u31FF\uFF66-\uFF9F\u3005-\u3007\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{323AF}]/u;

/** Returns whether a mention can follow this character directly: it is not part of a word, or its script has no spaces. */
export function canPrecedeMention(character: string | undefined): boolean {
  return character === undefined || !isWordCharacter(character) || UNSPACED_LETTER.test(character);
}

/**
 * Returns the positions in `tail`, the text after an `@`, where a name can end, in ascending order. Names consist of
 * letters, digits, `_`, single spaces, `-`, `.` and `'`.
 */
export function nameEnds(tail: string): number[] {
  const ends: number[] = [];
  let before = ' ';
  let end = 0;
  let count = 0;
  for (const character of tail) {
    const isSeparator = " -.'".includes(character);
    // No name starts with a space or contains two in a row.
    const isDoubleSpace = character === ' ' && before === ' ';
    if (count >= NAME_CHARS_MAX || !(isWordCharacter(character) || isSeparator) || isDoubleSpace) break;
    end += character.length;
    count += 1;
    if (!isSeparator && isWordEnd(tail.slice(end, end + 4))) ends.push(end);
    before = character;
  }
  return ends;
}

/** Returns whether a word ends before `rest`: `-` and `.` join what follows them directly, as in `Coder-2`. */
function isWordEnd(rest: string): boolean {
  const [first, second] = [...rest];
  if (first === '-' || first === '.') return !isWordCharacter(second);
  // A mark belongs to the letter before it.
  return first === undefined || !/^\p{M}/u.test(first) ? canPrecedeMention(first) : false;
}
