/** Converts Markdown to one line of plain text, for previews, quotes and announcements. */
import type { MarkedToken, Token } from 'marked';
import { plainTextOf } from './build_inline';
import { lex } from './lex';
import { definitions } from './link_definitions';

const CHARS_MAX = 200;
/** Marks and URLs are left out, so more is read than shown. */
const READ_FACTOR = 4;

/** Returns the start of a text, at most so many characters, with `…` where it was cut. */
export function plainText(markdown: string, charsMax = CHARS_MAX): string {
  const read = markdown.slice(0, charsMax * READ_FACTOR + CHARS_MAX).replace(/\r\n?/g, '\n');
  const words = blockWords(lex(read, { links: definitions(read) }))
    .replace(/\s+/g, ' ')
    .trim();
  const isCut = words.length > charsMax || read.length < markdown.length;
  return isCut ? `${cutAt(words, charsMax - 1)}…` : words;
}

function blockWords(tokens: readonly Token[]): string {
  return tokens.map((token) => wordsOfBlock(token as MarkedToken)).join(' ');
}

function wordsOfBlock(token: MarkedToken): string {
  switch (token.type) {
    case 'code':
      return token.text;
    case 'blockquote':
      return blockWords(token.tokens);
    case 'list':
      return token.items.map((item) => blockWords(item.tokens)).join(' ');
    case 'table':
      return [token.header, ...token.rows].flatMap((row) => row.map((cell) => plainTextOf(cell.tokens))).join(' ');
    case 'heading':
    case 'paragraph':
    case 'text':
      return plainTextOf(token.tokens ?? [token]);
    default:
      return '';
  }
}

/** Cuts between grapheme clusters, and after a word if one is near. */
function cutAt(words: string, chars: number): string {
  if (words.length <= chars) return words;
  const cut = words.slice(0, chars).replace(/[\ud800-\udbff]$/, '');
  const blank = cut.lastIndexOf(' ');
  return blank > chars * 0.7 ? cut.slice(0, blank) : cut;
}
