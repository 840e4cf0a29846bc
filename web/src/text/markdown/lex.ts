/**
 * Converts Markdown to tokens: marked's lexer without HTML and with limits.
 *
 * Texts are untrusted. Expensive constructs (nesting, marks, columns, URLs) have a limit; beyond it the text stays
 * plain. Bare e-mail addresses do not become links: `@` mentions members here.
 */
import {
  Lexer,
  type Links,
  type Token,
  Tokenizer,
  type TokenizerExtensionFunction,
  type Tokens,
  type TokensList,
} from 'marked';
import { firstLines, partLength, type Read } from './part_length';

/** Deeper quotes, lists and marks are plain text. */
export const NESTING_MAX = 32;
/** A paragraph with more delimiters is plain text. */
export const MARKS_MAX = 1000;
/** A wider table is a paragraph. */
export const COLUMNS_MAX = 64;
const ADDRESS_CHARS_MAX = 2048;
/** A longer quote continues in another one. */
const QUOTE_LINES_MAX = 200;
/** A longer list or table is split after a complete item or row, so that the live end of a text stays short. */
export const PART_CHARS = 2000;

/** A table, or a continuation of the table before it. */
export interface TablePart extends Tokens.Table {
  /** The two header lines for rows that follow this part; set when there are any. */
  readonly openHead?: string | undefined;
  /** The rows belong to the table before. */
  readonly isRest: boolean;
}

/** State that the lexer carries over from the text before. */
export interface LexContext {
  /** Link definitions; those of the text are added. */
  readonly links: Links;
  /** The header of a table that continues. */
  readonly openHead?: string | undefined;
}

/** Returns the blocks of a text with their content. Joined, their `raw` is the text. */
export function lex(text: string, before: LexContext): Token[] {
  return new BoundedLexer(before).read(text);
}

/** Returns the blocks of a text without their inline content: cheap, to find where they end. */
export function outline(text: string, before: LexContext): Token[] {
  return new BoundedLexer(before).blockTokens(text);
}

class BoundedLexer extends Lexer {
  readonly before: LexContext;
  #depth = 0;

  constructor(before: LexContext) {
    const tokenizer = new BoundedTokenizer();
    const block: TokenizerExtensionFunction[] = [
      (src, tokens) => (this.isTop ? tokenizer.tableRest(src, tokens) : undefined),
    ];
    super({ gfm: true, breaks: true, tokenizer, extensions: { block, renderers: {}, childTokens: {} } });
    this.before = before;
  }

  get isTop(): boolean {
    return this.#depth === 1;
  }

  read(text: string): Token[] {
    this.tokens.links = this.before.links;
    this.blockTokens(text, this.tokens);
    for (const { src, tokens } of this.inlineQueue) this.inlineTokens(src, tokens);
    return this.tokens;
  }

  override blockTokens(src: string, tokens?: Token[], isClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, isClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens: Token[] = [], isClipped = false): Token[] {
    if (this.#depth === NESTING_MAX) {
      this.state.top = true;
      tokens.push(plain(src));
      return tokens;
    }
    this.#depth += 1;
    super.blockTokens(src, tokens, isClipped);
    this.#depth -= 1;
    return tokens;
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#depth === NESTING_MAX || hasTooManyMarks(src)) {
      tokens.push(plain(src));
      return tokens;
    }
    this.#depth += 1;
    super.inlineTokens(src, tokens);
    this.#depth -= 1;
    return tokens;
  }
}

class BoundedTokenizer extends Tokenizer {
  /** HTML is plain text. */
  override html(): undefined {
    return undefined;
  }

  override tag(src: string): Tokens.Tag | undefined {
    return BREAK.test(src) ? super.tag(src) : undefined;
  }

  override inlineText(src: string): Tokens.Text {
    TEXT_END.lastIndex = MARK_RUN.exec(src)?.[0].length ?? 1;
    const raw = src.slice(0, TEXT_END.exec(src)?.index ?? src.length);
    return { type: 'text', raw, text: raw };
  }

  override url(src: string): Tokens.Link | undefined {
    const found = ADDRESS.exec(src)?.[0];
    if (!found || found.length > ADDRESS_CHARS_MAX) return undefined;
    const raw = withoutEndSigns(found);
    const href = /^www/i.test(raw) ? `http://${raw}` : raw;
    return { type: 'link', raw, text: raw, href, autolink: true, tokens: [plain(raw)] };
  }

  /** A definition is one line: later lines cannot change it. */
  override def(src: string): Tokens.Def | undefined {
    return super.def(firstLines(src, 1));
  }

  /** Only a single paragraph becomes a heading by its underline. */
  override lheading(src: string): Tokens.Heading | undefined {
    const heading = super.lheading(src);
    const paragraph = heading && this.rules.block.paragraph.exec(heading.raw);
    return paragraph && paragraph[0].length >= heading.text.length ? heading : undefined;
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    return super.blockquote(firstLines(src, QUOTE_LINES_MAX));
  }

  override list(src: string): Tokens.List | undefined {
    if (!this.#lexer?.isTop) return super.list(src);
    const part = partLength(src, PART_CHARS, (start) => this.#measure(() => super.list(start), itemEnds));
    return part && super.list(src.slice(0, part.chars));
  }

  override table(src: string): TablePart | undefined {
    if (countColumns(src) > COLUMNS_MAX) return undefined;
    if (this.#lexer?.isTop) return this.#tablePart('', src);
    const table = super.table(src);
    return table && { ...table, isRest: false };
  }

  /** Rows of a table that was split; matched before all other rules. */
  tableRest(src: string, tokens: Token[]): TablePart | undefined {
    const last = tokens.at(-1);
    const head = last ? (last as TablePart).openHead : this.#lexer?.before.openHead;
    return head === undefined ? undefined : this.#tablePart(head, src);
  }

  #tablePart(head: string, src: string): TablePart | undefined {
    const text = head + src;
    const part = partLength(text, PART_CHARS, (start) => this.#measure(() => super.table(start), rowEnds));
    const table = part && super.table(text.slice(0, part.chars));
    if (!table) return undefined;
    const end = part.isCut ? part.chars : table.raw.length;
    const openHead = part.isCut ? firstLines(text, 2) : undefined;
    return { ...table, raw: text.slice(head.length, end), openHead, isRest: head !== '' };
  }

  /** Reads a block without queueing its inline content. */
  #measure<T extends Token>(read: () => T | undefined, ends: (token: T) => number[]): Read | undefined {
    const { length } = this.lexer.inlineQueue;
    const token = read();
    this.lexer.inlineQueue.length = length;
    return token && { chars: token.raw.length, ends: ends(token) };
  }

  get #lexer(): BoundedLexer | undefined {
    return this.lexer instanceof BoundedLexer ? this.lexer : undefined;
  }
}

const BREAK = /^<br ?\/?>/i;
const MARK_RUN = /^(?:`+|~+)/;
/** Where plain text ends, because a mark or URL may start. */
const TEXT_END = /[\\<![`*~_\n]|https?:\/\/|(?<![^\s*_~(])www\./gi;
const ADDRESS = new RegExp(`^(?:https?://|www\\.)[^\\s<>"\`]{1,${ADDRESS_CHARS_MAX}}`, 'i');

function plain(text: string): Tokens.Text {
  return { type: 'text', raw: text, text };
}

function hasTooManyMarks(text: string): boolean {
  let marks = 0;
  for (let at = 0; at < text.length && marks <= MARKS_MAX; at += 1) marks += '*_~[<`'.includes(text.charAt(at)) ? 1 : 0;
  return marks > MARKS_MAX;
}

function itemEnds(list: Tokens.List): number[] {
  let end = 0;
  return list.items.map((item) => {
    end += item.raw.length;
    return end;
  });
}

/** The first two lines of a table are its header. */
function rowEnds(table: Tokens.Table): number[] {
  let end = firstLines(table.raw, 2).length;
  const rows = table.raw.slice(end).split('\n').slice(0, table.rows.length);
  return rows.map((row) => {
    end += row.length + 1;
    return end;
  });
}

function countColumns(src: string): number {
  return firstLines(src, 1).split('|', COLUMNS_MAX + 3).length - 1;
}

/** Removes punctuation and closing brackets from the end of a URL. */
function withoutEndSigns(address: string): string {
  let open = 0;
  for (const sign of address) open += sign === '(' ? 1 : sign === ')' ? -1 : 0;
  let end = address.length;
  for (; end > 0; end -= 1) {
    const sign = address.charAt(end - 1);
    if (sign === ')' && open < 0) open += 1;
    else if (!"?!.,:;*_'~".includes(sign)) break;
  }
  return address.slice(0, end);
}
