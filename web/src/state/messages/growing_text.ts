/** A growing text. Chunks state their start in code points, which JavaScript does not count. */
import type { GrowingText } from '../contract';

/** Result of a chunk: added, already contained, or not matching the text. */
export type GrowResult = 'done' | 'known' | 'misplaced';

export class GrowingTextBuffer implements GrowingText {
  #text: string;
  /** Number of code points: counting the whole text for each chunk would make long answers slow. */
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

  /** Adds the part of a chunk beyond the text. A reader who joined later may already have a part of it. */
  grow(start: number, piece: string): GrowResult {
    const overlap = this.#chars - start;
    if (overlap < 0) return 'misplaced';
    if (overlap === 0) return piece === '' ? 'known' : this.#add(piece);
    const index = unitsBack(this.#text, overlap);
    if (index === undefined) return 'misplaced';
    const there = this.#text.slice(index);
    if (there.startsWith(piece)) return 'known';
    return piece.startsWith(there) ? this.#add(piece.slice(there.length)) : 'misplaced';
  }

  /** Replaces the whole text. */
  set(text: string): GrowResult {
    if (text === this.#text) return 'known';
    this.#text = text;
    this.#chars = charsIn(text);
    this.#notify();
    return 'done';
  }

  #add(rest: string): GrowResult {
    this.#text += rest;
    this.#chars += charsIn(rest);
    this.#notify();
    return 'done';
  }

  #notify(): void {
    for (const listener of this.#listeners) listener(this.#text);
  }
}

/** Counts code points without creating a list. */
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

/** Returns where the last so many code points start; undefined when there are fewer. */
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
