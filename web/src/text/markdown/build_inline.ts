/** What lies in lines becomes nodes: words, marks, links, pictures, mentions. Part of the sanitiser, see `build.ts`. */
import type { MarkedToken, Token, Tokens } from 'marked';
import { decodeEntities } from './entities';
import { type Mention, splitMentions } from './mentions';
import { linkAddress, pictureAddress } from './safe_addresses';

/** What the nodes of a text depend on besides the text. */
export interface Look {
  readonly mention?: Mention | undefined;
}

/** Within a link, nothing else is a link, a button or a mention. */
interface Place extends Look {
  readonly isInLink?: boolean;
}

export function appendInline(parent: Element, tokens: readonly Token[], place: Place): void {
  for (const token of tokens) parent.append(...inlineNodes(token as MarkedToken, place));
}

/** Makes an element with a text or children. The only maker of elements in texts. */
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

/** Words longer than this get places to break, so many characters apart. */
const WORD_CHARS_MAX = 400;
const BREAK_CHARS = 200;
/** Scripts without blanks break anywhere by themselves, and letters or signs that join must not be parted. */
const LONG_WORD = new RegExp(`[^\\s\\p{Lo}\\p{Extended_Pictographic}\\u200d]{${WORD_CHARS_MAX},}`, 'gu');

/**
 * The nodes of a plain text. Browsers take seconds to lay out one word of thousands of characters, because fonts join
 * and kern them; with a `<wbr>` now and then it is many short ones. What is read and copied stays the same.
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

/** The words of a text, without its marks. */
export function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      const known = token as MarkedToken;
      if (known.type === 'br') return ' ';
      if ('tokens' in known && known.tokens && known.type !== 'image') return wordsOf(known.tokens);
      if (!('text' in known)) return '';
      return known.type === 'codespan' || known.type === 'escape' ? known.text : decodeEntities(known.text);
    })
    .join('');
}

function inlineNodes(token: MarkedToken, place: Place): Node[] {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del':
      return [marked(token, place)];
    case 'codespan':
      return [element('code', '', ...textNodes(token.text))];
    case 'br':
      return [element('br')];
    case 'html':
      // The lexer lets only a bare `<br>` through; whatever else came here would be text.
      return /^<br ?\/?>$/i.test(token.raw) ? [element('br')] : textNodes(token.raw);
    case 'link':
      return linkNodes(token, place);
    case 'image':
      return pictureNodes(token, place);
    case 'escape':
      return [new Text(token.text)];
    case 'text':
      return token.tokens
        ? token.tokens.flatMap((inner) => inlineNodes(inner as MarkedToken, place))
        : words(token, place);
    default:
      return textNodes(token.raw);
  }
}

function marked(token: Tokens.Strong | Tokens.Em | Tokens.Del, place: Place): Element {
  const made = element(token.type);
  appendInline(made, token.tokens, place);
  return made;
}

function words(token: Tokens.Text, { mention, isInLink }: Place): Node[] {
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

/** A link to a place that texts may lead to; else only its words. */
function linkNodes(token: Tokens.Link, place: Place): Node[] {
  const address = linkAddress(token.autolink ? token.href : decodeEntities(token.href));
  const inner = token.tokens.flatMap((child) =>
    token.autolink ? textNodes(token.text) : inlineNodes(child as MarkedToken, { ...place, isInLink: true }),
  );
  if (address === undefined || place.isInLink) return inner;
  return [outwardLink(address, inner)];
}

function outwardLink(address: string, children: Node[]): HTMLAnchorElement {
  const link = element('a', '', ...children);
  link.href = address;
  link.target = '_blank';
  link.rel = 'noopener noreferrer nofollow';
  return link;
}

/** A picture of this hub is shown, and opens large. One from elsewhere would tell that it was seen: it is a link. */
function pictureNodes(token: Tokens.Image, place: Place): Node[] {
  const words = wordsOf(token.tokens.length > 0 ? token.tokens : [{ type: 'text', raw: token.text, text: token.text }]);
  const href = decodeEntities(token.href);
  const shown = pictureAddress(href);
  if (shown !== undefined) return [picture(shown, words, place)];
  const address = linkAddress(href);
  if (address === undefined || place.isInLink) return [new Text(words)];
  return [outwardLink(address, [new Text(words || address)])];
}

function picture(address: string, words: string, place: Place): Element {
  const image = element('img', 'text-image');
  image.alt = words || 'Image';
  image.loading = 'lazy';
  image.decoding = 'async';
  image.src = address;
  if (place.isInLink) return image;
  const button = element('button', 'open-image', image);
  button.type = 'button';
  button.setAttribute('aria-label', words ? `Open image: ${words}` : 'Open image');
  return button;
}
