/** Heading levels of a message for screen readers: none is skipped, whatever was typed. */

/** The conversation's own heading is on level 1. */
const LEVELS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** The headings of one text so far. The visual size follows the typed depth instead. */
export class Levels {
  /** Typed depths of the enclosing headings, outermost first. */
  #above: readonly number[];

  constructor(above: readonly number[] = []) {
    this.#above = above;
  }

  elementOf(depth: number): (typeof LEVELS)[number] {
    this.#above = [...this.#above.filter((one) => one < depth), depth];
    return LEVELS[this.#above.length - 1] ?? 'h6';
  }

  copy(): Levels {
    return new Levels(this.#above);
  }
}
