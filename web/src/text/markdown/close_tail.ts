/**
 * Closes what is open at the end of a streaming text, so that syntax never flashes: an open `**` is bold at once, a
 * link shows its text before its URL is complete, and a line with only a marker waits for its content.
 */

/** A longer paragraph is not processed until it is complete: this runs for each chunk. */
const PARAGRAPH_CHARS_MAX = 4000;
const MARKER_CHARS_MAX = 64;

export interface ClosedTail {
  readonly text: string;
  /** Number of closed marks that will continue. */
  readonly openMarks: number;
}

/** `isInTable`: the text continues a table that started before it. */
export function closeTail(tail: string, isInTable = false): ClosedTail {
  const fence = openFence(tail);
  if (fence) return { text: withoutFenceStart(tail), openMarks: 0 };
  const text = withoutBareMarker(tail, isInTable);
  const start = lastBlockStart(text);
  if (text.length - start > PARAGRAPH_CHARS_MAX) return { text, openMarks: 0 };
  const { closed, openMarks } = closeMarks(text.slice(start));
  return { text: text.slice(0, start) + closed, openMarks };
}

/** Returns the fence of the code block that is open at the end. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const [, mark = '', info = ''] of text.matchAll(/^[ \t>]*(?:[-*+] +|\d+[.)] +)*(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (open === undefined) open = mark.startsWith('`') && info.includes('`') ? undefined : mark;
    else if (mark.startsWith(open) && info.trim() === '') open = undefined;
  }
  return open;
}

/** In code, a last line of backticks is probably the closing fence. */
function withoutFenceStart(text: string): string {
  return text.replace(/(?<=\n)[ \t]*(?:`+|~+)[ \t]*$/, '');
}

const BARE_MARKER = /^[ \t>]*(?:[-*+]|\d{1,9}[.)]?|#{1,6}|[-=]+|[-_*~`]{1,3}|[-:| ]+)?(?: \[[ xX]?\]?)?[ \t]*$/;
const ROW_BELOW = /\n[ >]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*\n/;

/** Hides a last line that is only a marker, or a table header without its second line. */
function withoutBareMarker(text: string, isInTable: boolean): string {
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  if (line === '' || line.length > MARKER_CHARS_MAX) return text;
  const mayBeHead = line.startsWith('|') && !isInTable && !ROW_BELOW.test(text.slice(0, start));
  return mayBeHead || BARE_MARKER.test(line) ? text.slice(0, start) : text;
}

/** Returns where the last paragraph, item or cell starts: marks do not extend beyond it. */
function lastBlockStart(text: string): number {
  const start = text.lastIndexOf('\n\n') + 1;
  let end = start;
  for (const found of text.slice(start).matchAll(/^[ \t>]*(?:[-*+] |\d{1,9}[.)] |#{1,6} |\|)/gm)) {
    end = start + (found.index ?? 0) + found[0].length;
  }
  const line = text.slice(end);
  return line.includes('|') && text.charAt(end - 1) === '|' ? end + line.lastIndexOf('|') + 1 : end;
}

interface Open {
  mark: string;
}

interface Scan {
  readonly open: Open[];
  /** Start of the text of a link whose URL is incomplete. */
  link: number | undefined;
  /** Shown up to here: a last mark without content waits. */
  end: number;
}

/** Closes the marks of one paragraph. Approximate: the result is visible for a moment only. */
function closeMarks(text: string): { closed: string; openMarks: number } {
  const { open, link, end } = scan(text);
  const shown = (link === undefined ? text.slice(0, end) : wordsOfLink(text, link)).trimEnd();
  const marks = link === undefined ? open.map(({ mark }) => mark).reverse() : [];
  return { closed: shown + marks.join(''), openMarks: marks.length };
}

/** An unfinished link shows its text, an unfinished image nothing. */
function wordsOfLink(text: string, at: number): string {
  if (text.charAt(at - 1) === '!') return text.slice(0, at - 1);
  const words = text.slice(at + 1);
  const end = words.search(/\](?:\(|$)/);
  return text.slice(0, at) + (end < 0 ? words : words.slice(0, end));
}

const SIGNS = /\\[\s\S]|`+|\*+|_+|~~|\[|\](?:\([^)\n]*\))?/g;

function scan(text: string): Scan {
  const state: Scan = { open: [], link: undefined, end: text.length };
  SIGNS.lastIndex = 0;
  for (let found = SIGNS.exec(text); found; found = SIGNS.exec(text)) {
    const [sign] = found;
    const after = found.index + sign.length;
    if (sign.startsWith('`')) {
      const close = codeEnd(text, sign, after);
      if (close === undefined) return endInCode(state, sign, found.index, text);
      SIGNS.lastIndex = close;
    } else if (sign === '[') state.link = found.index;
    else if (sign.startsWith(']')) state.link = isUnfinished(text, after, sign) ? state.link : undefined;
    else if (!sign.startsWith('\\')) takeMark(state, text, sign, found.index);
  }
  return state;
}

/** After `]` a URL may follow that is incomplete or missing. */
function isUnfinished(text: string, after: number, sign: string): boolean {
  return sign === ']' && (after === text.length || text.charAt(after) === '(');
}

function codeEnd(text: string, ticks: string, from: number): number | undefined {
  for (let at = text.indexOf(ticks, from); at >= 0; ) {
    const run = /^`+/.exec(text.slice(at, at + ticks.length + 1))?.[0].length ?? 0;
    if (run === ticks.length && text.charAt(at - 1) !== '`') return at + run;
    at = text.indexOf(ticks, at + run);
  }
  return undefined;
}

function endInCode(state: Scan, ticks: string, at: number, text: string): Scan {
  if (at + ticks.length === text.length) return { ...state, end: at };
  return { ...state, open: [...state.open, { mark: ticks }] };
}

function takeMark(state: Scan, text: string, mark: string, at: number): void {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + mark.length);
  const last = state.open.at(-1);
  const sign = mark.charAt(0);
  if (last?.mark.startsWith(sign) && /\S/.test(before)) {
    last.mark = last.mark.slice(mark.length);
    if (last.mark === '') state.open.pop();
  } else if (/\S/.test(after) && !(sign === '_' && /\w/.test(before))) {
    state.open.push({ mark });
  } else if (after === '') state.end = at;
}
