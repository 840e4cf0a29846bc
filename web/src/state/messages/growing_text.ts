/** A text that grows at its end. Pieces say where they start in characters (code points), which JavaScript does not count. */
import type { GrowingText } from '../contract';

/** What came of a piece: it was added, stood there already, or does not fit the text that is there. */
export type GrowResult = 'done' | 'known' | 'misplaced';

export class GrowingTextBuffer implements GrowingText {
  #text: string;
  /** Code points of the text: counting the whole of it for each piece would make long answers slow. */
  #chars: number;
  readonly #listeners = new Set<(text: string) => void>();

  constructor(text = '') {
    this.#text = text;
    this.#chars = charsIn(text);
  }

  text(): string {
    return this.#text;
  }

  listen(onText: (text: string) => void): () => void {
    this.#listeners.add(onText);
    return () => this.#listeners.delete(onText);
  }

  /** Adds what a piece brings beyond the text. Whoever joins in the middle may have a part of it already. */
  grow(start: number, piece: string): GrowResult {
    const overlap = this.#chars - start;
    if (overlap < 0) return 'misplaced';
    if (overlap === 0) return piece === '' ? 'known' : this.#add(piece);
    const place = unitsBack(this.#text, overlap);
    if (place === undefined) return 'misplaced';
    const there = this.#text.slice(place);
    if (there.startsWith(piece)) return 'known';
    return piece.startsWith(there) ? this.#add(piece.slice(there.length)) : 'misplaced';
  }

  /** Takes the whole text as the hub tells it. */
  set(text: string): GrowResult {
    if (text === this.#text) return 'known';
    this.#text = text;
    this.#chars = charsIn(text);
    this.#tell();
    return 'done';
  }

  #add(rest: string): GrowResult {
    this.#text += rest;
    this.#chars += charsIn(rest);
    this.#tell();
    return 'done';
  }

  #tell(): void {
    for (const listener of this.#listeners) listener(this.#text);
  }
}

/** How many code points a text has, without making a list of them. */
export function charsIn(text: string): number {
  let chars = text.length;
  for (let unit = 0; unit < text.length - 1; unit += 1) {
    if (isHigh(text.charCodeAt(unit)) && isLow(text.charCodeAt(unit + 1))) {
      chars -= 1;
      unit += 1;
    }
  }
  return chars;
}

/** Where the last so many code points of a text begin; undefined when it has fewer. */
function unitsBack(text: string, chars: number): number | undefined {
  let unit = text.length;
  for (let left = chars; left > 0; left -= 1) {
    if (unit === 0) return undefined;
    const isPair = unit > 1 && isLow(text.charCodeAt(unit - 1)) && isHigh(text.charCodeAt(unit - 2));
    unit -= isPair ? 2 : 1;
  }
  return unit;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
