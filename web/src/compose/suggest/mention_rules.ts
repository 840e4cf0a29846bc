/**
 * Finds mentions by the rules of the hub (`mention.rs` in `parlour-core`).
 *
 * A mention is `@` and a known name or id, at the start or after a character that is not part of a word. The longest
 * known name wins, case does not matter, and the name ends with its word. Code, quoted lines, HTML comments and URLs
 * contain no mentions. A name with spaces is written without quotation marks. The hub decides; this is for hints while typing.
 */
import { canPrecedeMention } from '../../text/names';

/** Words that mention many members. */
export const WIDE_WORDS: ReadonlyMap<string, 'everyone' | 'agents'> = new Map([
  ['everyone', 'everyone'],
  ['all', 'everyone'],
  ['channel', 'everyone'],
  ['agents', 'agents'],
]);

/** How far back the start of a URL is searched. */
const ADDRESS_CHARS_MAX = 500;

/** Replaces hidden text. It is not part of a word and no name contains it. */
const GAP = '\uFFFC';

/** Returns the position of each `@` that can start a mention. */
export function mentionStarts(text: string): number[] {
  if (!text.includes('@')) return [];
  const visible = hideQuotesAndComments(hideCode(text));
  return [...visible.matchAll(/@/g)].map((found) => found.index).filter((at) => isStart(visible, at));
}

function isStart(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - ADDRESS_CHARS_MAX), at);
  if (before.endsWith('\\') || !canPrecedeMention([...before].at(-1))) return false;
  // Only these characters end a URL.
  const run = before.slice(before.search(/[^\s<>"]*$/));
  return !/[\p{L}\p{N}]:\/\//u.test(run);
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

/** Replaces quoted lines and HTML comments by placeholders of the same length. */
export function hideQuotesAndComments(text: string): string {
  const isQuoted = /^(?:[ \t]*(?:[-+*]|\d+[.)])[ \t]+)*[ \t]*>/;
  const shown = text.replace(/<!--(?:>|->|[\s\S]*?(?:-->|$))/g, hide);
  return shown
    .split('\n')
    .map((line) => (isQuoted.test(line) ? hide(line) : line))
    .join('\n');
}

function hide(code: string): string {
  return GAP.repeat(code.length);
}
