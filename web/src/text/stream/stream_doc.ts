/**
 * A Markdown text that may still grow, as blocks.
 *
 * Blocks that no further text can change are settled and returned once, in order. The tail after them is parsed again
 * each time. Any split of a text into chunks settles the same blocks, so an answer looks the same while it streams,
 * when it is finished, and when it is loaded again.
 */
import type { Links, MarkedToken, Token, Tokens } from 'marked';
import { closeTail } from '../markdown/close_tail';
import { lex, outline, type TablePart } from '../markdown/lex';
import { copyLinks, definitions } from '../markdown/link_definitions';

/** Tokens of one text that become elements; the text after them is shown as typed. */
export const TOKENS_MAX = 12_000;
/** Characters parsed at a time; more while a single block is longer. */
const PARSE_STEP_CHARS = 8192;

/** Text that is shown as typed. */
export interface PlainText {
  readonly type: 'plain';
  readonly raw: string;
}

export type Block = Token | TablePart | PlainText;

export interface Tail {
  readonly blocks: readonly Block[];
  /** Number of open marks at its end: the depth of the next text. */
  readonly openMarks: number;
}

export class StreamDoc {
  readonly #links: Links;
  /** Text that is not settled, with normalised newlines. */
  #rest = '';
  /** A `\r` at the end of a chunk waits for the next chunk. */
  #hasReturn = false;
  #openHead: string | undefined;
  #tokens = 0;

  /** `known` is a complete text whose definitions apply from the start. */
  constructor(known = '') {
    this.#links = definitions(known);
  }

  /** Adds a chunk and returns the blocks that it settles. */
  append(piece: string): Block[] {
    this.#take(piece);
    return this.#settle();
  }

  /** Returns the unsettled text as it is to be shown. */
  tail(): Tail {
    if (this.#isFull) return { blocks: this.#plainRest(), openMarks: 0 };
    const { text, openMarks } = closeTail(this.#rest, this.#openHead !== undefined);
    const blocks = lex(text, this.#before(copyLinks(this.#links))).filter(isVisible);
    const fits = this.#tokens + countAll(blocks) <= TOKENS_MAX;
    return fits ? { blocks, openMarks } : { blocks: this.#plainRest(), openMarks: 0 };
  }

  /** Settles the rest: nothing follows. */
  finish(): Block[] {
    if (this.#hasReturn) this.#rest += '\n';
    this.#hasReturn = false;
    const blocks = this.#settle();
    if (!this.#isFull) blocks.push(...this.#keep(lex(this.#rest, this.#before(this.#links))));
    return [...blocks, ...this.#plainRest()];
  }

  get #isFull(): boolean {
    return this.#tokens > TOKENS_MAX;
  }

  #plainRest(): PlainText[] {
    return this.#rest === '' ? [] : [{ type: 'plain', raw: this.#rest }];
  }

  #before(links: Links) {
    return { links, openHead: this.#openHead };
  }

  #take(piece: string): void {
    const text = (this.#hasReturn ? '\r' : '') + piece;
    this.#hasReturn = text.endsWith('\r');
    this.#rest += (this.#hasReturn ? text.slice(0, -1) : text).replace(/\r\n?/g, '\n');
  }

  /** Only complete lines count, without the last block: the next line could belong to it. */
  #settle(): Block[] {
    const settled: Block[] = [];
    for (let chars = PARSE_STEP_CHARS; !this.#isFull; ) {
      const lines = this.#rest.slice(0, this.#rest.lastIndexOf('\n', chars) + 1);
      const before = withoutLastBlock(outline(lines, this.#before(this.#links)));
      const end = before.reduce((chars, { raw }) => chars + raw.length, 0);
      if (end > 0) {
        settled.push(...this.#keep(lex(lines.slice(0, end), this.#before(this.#links))));
        this.#openHead = (before.at(-1) as TablePart).openHead;
      } else if (chars >= this.#rest.length) break;
      else chars *= 4;
    }
    return settled;
  }

  /** Removes parsed text from the rest. The first block beyond the limit stays, and all after it. */
  #keep(tokens: readonly Token[]): Block[] {
    const kept: Block[] = [];
    for (const token of tokens) {
      if (isVisible(token)) this.#tokens += 1 + countAll(inside(token));
      if (this.#isFull) break;
      this.#rest = this.#rest.slice(token.raw.length);
      if (isVisible(token)) kept.push(token);
    }
    return kept;
  }
}

/** Returns all blocks but the last, which keeps invisible tokens after it. */
function withoutLastBlock(tokens: readonly Token[]): readonly Token[] {
  return tokens.slice(0, Math.max(tokens.findLastIndex(isVisible), 0));
}

function isVisible(token: Token): boolean {
  return token.type !== 'space' && token.type !== 'def';
}

function countAll(tokens: readonly (Token | Tokens.TableCell)[]): number {
  let count = 0;
  for (const token of tokens) count += 1 + countAll('type' in token ? inside(token) : token.tokens);
  return count;
}

/** Returns the children of a token of any type. */
function inside(token: Token): readonly (Token | Tokens.TableCell)[] {
  const known = token as MarkedToken;
  if (known.type === 'table') return [...known.header, ...known.rows.flat()];
  if (known.type === 'list') return known.items;
  return 'tokens' in known ? (known.tokens ?? []) : [];
}
