/**
 * Finds mentions by the rules of the hub (`mention.rs` in `parlour-core`).
 *
 * A mention is `@` and a known name or id, at the start or after a character that is not part of a word. The longest
 * known name wins, case does not matter, and the name ends with its word. Code and URLs contain no mentions. A name
 * with spaces is written without quotes. The hub decides; this is for hints while typing.
 */
import { NAME_CHARS_MAX } from '../limits';

/** Words that mention many members. */
export const WIDE_WORDS: ReadonlyMap<string, 'everyone' | 'agents'> = new Map([
  ['everyone', 'everyone'],
  ['all', 'everyone'],
  ['channel', 'everyone'],
  ['agents', 'agents'],
]);

/** How far back the start of a URL is searched. */
const ADDRESS_CHARS_MAX = 500;

/** Replaces code. It is not part of a word and no name contains it. */
const GAP = '\uFFFC';

export function isWordSign(sign: string | undefined): boolean {
  return sign !== undefined && /^[\p{L}\p{N}\p{M}_]/u.test(sign);
}

/** Returns the position of each `@` that can start a mention. */
export function mentionStarts(text: string): number[] {
  if (!text.includes('@')) return [];
  const visible = hideCode(text);
  return [...visible.matchAll(/@/g)].map((found) => found.index).filter((at) => isStart(visible, at));
}

function isStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - ADDRESS_CHARS_MAX), at);
  if (/[\p{L}\p{N}\p{M}_\\]$/u.test(before)) return false;
  // Only these characters end a URL.
  const run = before.slice(before.search(/[^\s<>"]*$/));
  return !/[\p{L}\p{N}]:\/\//u.test(run);
}

/** Returns the positions in `tail`, the text after an `@`, where a name can end, in ascending order. */
export function nameEnds(tail: string): number[] {
  const ends: number[] = [];
  let before = ' ';
  let end = 0;
  let count = 0;
  for (const sign of tail) {
    const isSeparator = " -.'".includes(sign);
    // No name starts with a space or contains two in a row.
    if (count >= NAME_CHARS_MAX || !(isWordSign(sign) || isSeparator) || (sign === ' ' && before === ' ')) break;
    end += sign.length;
    count += 1;
    if (!isSeparator && isWordEnd(tail.slice(end, end + 4))) ends.push(end);
    before = sign;
  }
  return ends;
}

/** Returns whether a word ends before `rest`: `-` and `.` join what follows them directly, as in `Coder-2`. */
function isWordEnd(rest: string): boolean {
  const [first, second] = [...rest];
  return first === '-' || first === '.' ? !isWordSign(second) : !isWordSign(first);
}

/** Replaces code by placeholders of the same length. Fences and inline spans are enough for hints. */
export function hideCode(text: string): string {
  if (!text.includes('`') && !text.includes('~~~')) return text;
  let fence = '';
  const lines = text.split('\n').map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    const isCode = fence !== '' || mark !== '';
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    return isCode ? hide(line) : line.replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, hide);
  });
  return lines.join('\n');
}

function hide(code: string): string {
  return GAP.repeat(code.length);
}
