/** Converts inline tokens to nodes: text, emphasis, links, images, mentions. Part of the sanitiser, see `build.ts`. */
import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from './entities';
import { type Mention, splitMentions } from './mentions';
import { linkAddress, pictureAddress } from './safe_addresses';

/** Inputs of rendering besides the text. */
export interface RenderOptions {
  readonly mention?: Mention | undefined;
}

/** Inside a link there are no other links, buttons or mentions. */
interface InlineContext extends RenderOptions {
  readonly isInLink?: boolean;
}

export function appendInline(parent: Element, tokens: readonly Token[], context: InlineContext): void {
  for (const token of tokens) parent.append(...inlineNodes(token as MarkedToken, context));
}

/** Creates an element with text or children. All elements of texts are created here. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  made.append(...children);
  return made;
}

/** Longer words get break opportunities at this distance. */
const WORD_CHARS_MAX = 400;
const BREAK_CHARS = 200;
/** Scripts without spaces break by themselves, and joined characters must not be separated. */
const LONG_WORD = new RegExp(`[^\\s\\p{Lo}\\p{Extended_Pictographic}\\u200d]{${WORD_CHARS_MAX},}`, 'gu');

/**
 * Returns the nodes of a plain text. Browsers take seconds to lay out a word of thousands of characters; `<wbr>`
 * elements split it. Copied text is unchanged.
 */
export function textNodes(text: string): Node[] {
  const nodes: Node[] = [];
  let start = 0;
  for (const { 0: word, index } of text.length < WORD_CHARS_MAX ? [] : text.matchAll(LONG_WORD)) {
    for (let at = BREAK_CHARS; at < word.length; at += BREAK_CHARS) {
      nodes.push(new Text(text.slice(start, index + at)), element('wbr'));
      start = index + at;
    }
  }
  return [...nodes, new Text(text.slice(start))];
}

/** Returns the plain text of tokens. */
export function plainTextOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const known = token as MarkedToken;
      if (known.type === 'br') return ' ';
      if ('tokens' in known && known.tokens && known.type !== 'image') return plainTextOf(known.tokens);
      if (!('text' in known)) return '';
      return known.type === 'codespan' || known.type === 'escape' ? known.text : decodeEntities(known.text);
    })
    .join('');
}

function inlineNodes(token: MarkedToken, context: InlineContext): Node[] {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return [marked(token, context)];
    case 'codespan':
      return [element('code', '', ...textNodes(token.text))];
    case 'br':
      return [element('br')];
    case 'html':
      // The lexer accepts only a bare `<br>`; anything else is text.
      return /^<br ?\/?>$/i.test(token.raw) ? [element('br')] : textNodes(token.raw);
    case 'link':
      return linkNodes(token, context);
    case 'image':
      return pictureNodes(token, context);
    case 'escape':
      return [new Text(token.text)];
    case 'text':
      return token.tokens
        ? token.tokens.flatMap((inner) => inlineNodes(inner as MarkedToken, context))
        : textNodesOf(token, context);
    default:
      return textNodes(token.raw);
  }
}

function marked(token: Tokens.Strong | Tokens.Em | Tokens.Del, context: InlineContext): Element {
  const made = element(token.type);
  appendInline(made, token.tokens, context);
  return made;
}

function textNodesOf(token: Tokens.Text, { mention, isInLink }: InlineContext): Node[] {
  const text = decodeEntities(token.text);
  if (!mention || isInLink || !text.includes('@')) return textNodes(text);
  return splitMentions(text, mention).flatMap((part) => {
    if (typeof part === 'string') return textNodes(part);
    const chip = element('strong', 'mention', `@${part.name}`);
    chip.dataset.member = part.member.id;
    if (part.member.isReader) chip.dataset.reader = '';
    return chip;
  });
}

/** A link if its URL is allowed; otherwise its text. */
function linkNodes(token: Tokens.Link, context: InlineContext): Node[] {
  const address = linkAddress(token.autolink ? token.href : decodeEntities(token.href));
  const inner = token.tokens.flatMap((child) =>
    token.autolink ? textNodes(token.text) : inlineNodes(child as MarkedToken, { ...context, isInLink: true }),
  );
  if (address === undefined || context.isInLink) return inner;
  return [outwardLink(address, inner)];
}

function outwardLink(address: string, children: Node[]): HTMLAnchorElement {
  const link = element('a', '', ...children);
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  return link;
}

/** Images of this hub are shown. External images would reveal the reader, so they are links. */
function pictureNodes(token: Tokens.Image, context: InlineContext): Node[] {
  const textNodesOf = plainTextOf(
    token.tokens.length > 0 ? token.tokens : [{ type: 'text', raw: token.text, text: token.text }],
  );
  const href = decodeEntities(token.href);
  const shown = pictureAddress(href);
  if (shown !== undefined) return [picture(shown, textNodesOf, context)];
  const address = linkAddress(href);
  if (address === undefined || context.isInLink) return [new Text(textNodesOf)];
  return [outwardLink(address, [new Text(textNodesOf || address)])];
}

function picture(address: string, textNodesOf: string, context: InlineContext): Element {
  const image = element('img', 'text-image');
  image.alt = textNodesOf || 'Image';
  image.loading = 'lazy';
  image.decoding = 'async';
  image.src = address;
  if (context.isInLink) return image;
  const button = element('button', 'open-image', image);
  button.type = 'button';
  button.setAttribute('aria-label', textNodesOf ? `Open image: ${textNodesOf}` : 'Open image');
  return button;
}
