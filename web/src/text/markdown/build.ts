/**
 * Converts tokens to DOM nodes: the only sanitiser of the page.
 *
 * Nothing here writes HTML. Elements are created one by one, from a fixed set, with attributes named in this file and
 * `build_inline.ts`; user text only ends in text nodes, in URLs that `safe_addresses.ts` accepts, or in labels. So
 * there is nothing to strip.
 */
import type { MarkedToken, Token, Tokens } from 'marked';
import type { Block } from '../stream/stream_doc';
import { appendInline, element, type RenderOptions, textNodes } from './build_inline';
import type { Levels } from './heading_levels';
import type { TablePart } from './lex';

const LANGUAGE_CHARS_MAX = 32;
const LIST_START_MAX = 999_999_999;

export interface BlockRenderOptions extends RenderOptions {
  readonly levels: Levels;
}

/** Returns the element of a block: a child of the text, or a `tbody` of the table before it. */
export function buildBlock(block: Block, look: BlockRenderOptions): HTMLElement {
  if (block.type === 'plain') return element('p', 'as-typed', ...textNodes(block.raw));
  const token = block as MarkedToken;
  switch (token.type) {
    case 'heading':
      return heading(token, look);
    case 'code':
      return codeCard(token);
    case 'blockquote':
      return withBlocks(directed(element('blockquote')), token.tokens, look);
    case 'list':
      return list(token, look);
    case 'hr':
      return element('hr');
    case 'table':
      return table(token as TablePart, look);
    case 'paragraph':
    case 'text':
      return paragraph(token, look);
    default:
      return element('p', 'as-typed', ...textNodes(token.raw));
  }
}

/** Whether a block continues the table before it. */
export function isTableRest(block: Block): boolean {
  return block.type === 'table' && (block as TablePart).isRest;
}

/** The first letters decide the side of markers and borders, for texts from right to left. */
function directed<Made extends HTMLElement>(made: Made): Made {
  made.dir = 'auto';
  return made;
}

function withBlocks<Parent extends HTMLElement>(
  parent: Parent,
  tokens: readonly Token[],
  look: BlockRenderOptions,
): Parent {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'def');
  parent.append(...shown.map((token) => buildBlock(token, look)));
  return parent;
}

function heading(token: Tokens.Heading, look: BlockRenderOptions): HTMLElement {
  const made = element(look.levels.elementOf(token.depth));
  made.dataset.depth = String(token.depth);
  appendInline(made, token.tokens, look);
  return made;
}

function paragraph(token: Tokens.Paragraph | Tokens.Text, look: BlockRenderOptions): HTMLElement {
  const made = element('p');
  appendOrLabel(made, token.tokens ?? [{ ...token, tokens: undefined }], look);
  return made;
}

/** The text after a check box is its label. */
function appendOrLabel(parent: HTMLElement, tokens: readonly Token[], look: BlockRenderOptions): void {
  const [first, ...rest] = tokens;
  if (first?.type === 'checkbox') {
    const words = element('span');
    appendInline(words, rest, look);
    parent.append(element('label', 'task', checkbox(first as Tokens.Checkbox), words));
  } else appendInline(parent, tokens, look);
}

function checkbox(token: Tokens.Checkbox): HTMLInputElement {
  const box = element('input');
  box.type = 'checkbox';
  box.disabled = true;
  box.toggleAttribute('checked', token.checked);
  return box;
}

function list(token: Tokens.List, look: BlockRenderOptions): HTMLElement {
  const items = token.items.map((item) => listItem(item, look));
  if (!token.ordered) return directed(element('ul', '', ...items));
  const made = directed(element('ol', '', ...items));
  const start = Number(token.start);
  if (start !== 1) made.setAttribute('start', String(Math.min(start, LIST_START_MAX)));
  return made;
}

/** Items of a tight list have no paragraphs. */
function listItem(item: Tokens.ListItem, look: BlockRenderOptions): HTMLElement {
  const made = element('li', item.task ? 'task-item' : '');
  const tokens = item.tokens.filter(({ type }) => type !== 'space' && type !== 'def');
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as MarkedToken;
    if (token.type === 'checkbox') {
      const next = tokens[at + 1];
      const words = next?.type === 'text' ? ((next as Tokens.Text).tokens ?? [next]) : [];
      appendOrLabel(made, [token, ...words], look);
      at += words.length > 0 ? 1 : 0;
    } else if (token.type === 'text') appendInline(made, token.tokens ?? [token], look);
    else made.append(buildBlock(token, look));
  }
  return made;
}

/** Focusable, so that keyboards can scroll wide tables. */
function table(token: TablePart, look: BlockRenderOptions): HTMLElement {
  const body = element('tbody', '', ...token.rows.map((cells) => row(cells, look)));
  if (token.isRest) return body;
  const head = element('thead', '', row(token.header, look));
  const scroller = element('div', 'table-scroll', directed(element('table', '', head, body)));
  scroller.tabIndex = 0;
  scroller.setAttribute('role', 'group');
  scroller.setAttribute('aria-label', `Table with ${token.header.length} columns`);
  return scroller;
}

function row(cells: readonly Tokens.TableCell[], look: BlockRenderOptions): HTMLElement {
  const made = cells.map((cell) => {
    const isHead = cell.header && cell.text !== '';
    const one = element(isHead ? 'th' : 'td');
    if (isHead) one.setAttribute('scope', 'col');
    if (cell.align) one.dataset.align = cell.align;
    appendInline(one, cell.tokens, look);
    return one;
  });
  return element('tr', '', ...made);
}

/** A code block with language and copy button; `Markdown.tsx` handles the button, `colour_code.ts` the colours. */
function codeCard(token: Tokens.Code): HTMLElement {
  const language = languageOf(token);
  const copy = element('button', 'code-copy', 'Copy');
  copy.type = 'button';
  const code = element('code', '', token.text);
  const pre = element('pre', '', code);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'group');
  pre.setAttribute('aria-label', language === '' ? 'Code' : `Code, ${language}`);
  const head = element('div', 'code-head', element('span', 'code-language', language || 'text'), copy);
  const card = element('div', 'code-card', head, pre);
  card.dataset.language = language;
  return card;
}

/** Returns the first word of the info string. */
function languageOf(token: Tokens.Code): string {
  return (token.lang ?? '').split(/[\s,{]/, 1)[0]?.slice(0, LANGUAGE_CHARS_MAX) ?? '';
}
