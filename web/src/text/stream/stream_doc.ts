/**
 * A markdown text that may still grow, as blocks.
 *
 * Blocks that no further text can change are settled: told once, in order. What comes after them is the tail, which is
 * read anew each time. Any way of cutting a text into pieces settles the same blocks, so an answer looks the same while
 * it is written, when it is finished, and when it is loaded again.
 */
import type { Links, MarkedToken, Token, Tokens } from 'marked';
import { closeTail } from '../markdown/close_tail';
import { lex, outline, type TablePart } from '../markdown/lex';
import { copyLinks, definitions } from '../markdown/link_definitions';

/** Tokens of one text that become elements; behind them it is shown as it is. Far above any honest message. */
export const TOKENS_MAX = 12_000;
/** How much is read at a time. It grows while a single block is longer. */
const STRETCH_CHARS = 8192;

/** Text that is shown as it was typed. */
export interface Plain {
  readonly type: 'plain';
  readonly raw: string;
}

export type Block = Token | TablePart | Plain;

export interface Tail {
  readonly blocks: readonly Block[];
  /** How many marks at its end are still open: so deep goes what is typed next. */
  readonly openMarks: number;
}

export class StreamDoc {
  readonly #links: Links;
  /** What is not settled, with plain newlines. */
  #rest = '';
  /** A `\r` at the end of a piece waits for what follows it. */
  #hasReturn = false;
  #openHead: string | undefined;
  #tokens = 0;

  /** `known` is text whose definitions hold from the start: a stored text is whole, so its last line counts at once. */
  constructor(known = '') {
    this.#links = definitions(known);
  }

  /** Takes a further piece and answers the blocks that it settles. */
  append(piece: string): Block[] {
    this.#take(piece);
    return this.#settle();
  }

  /** What is not settled, as it is to be shown now. */
  tail(): Tail {
    if (this.#isFull) return { blocks: this.#plainRest(), openMarks: 0 };
    const { text, openMarks } = closeTail(this.#rest, this.#openHead !== undefined);
    const blocks = lex(text, this.#before(copyLinks(this.#links))).filter(isVisible);
    const fits = this.#tokens + countAll(blocks) <= TOKENS_MAX;
    return fits ? { blocks, openMarks } : { blocks: this.#plainRest(), openMarks: 0 };
  }

  /** Nothing follows: settles the rest. */
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

  #plainRest(): Plain[] {
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

  /** Only whole lines count, and of them not the last block: a line below could belong to it. */
  #settle(): Block[] {
    const settled: Block[] = [];
    for (let chars = STRETCH_CHARS; !this.#isFull; ) {
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

  /** Moves what was read out of the rest. The first block beyond the limit stays, and all behind it. */
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

/** All blocks but the last. What does not show, below it, stays with it. */
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

/** What lies in a token, whatever it calls that. */
function inside(token: Token): readonly (Token | Tokens.TableCell)[] {
  const known = token as MarkedToken;
  if (known.type === 'table') return [...known.header, ...known.rows.flat()];
  if (known.type === 'list') return known.items;
  return 'tokens' in known ? (known.tokens ?? []) : [];
}
