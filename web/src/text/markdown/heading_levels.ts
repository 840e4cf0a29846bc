/** Which level a heading in a message has for screen readers: none is skipped, whatever the writer typed. */

/** The heading above any message is the conversation's own, on the first level; what stands between may be out of sight. */
const LEVELS = ['h2', 'h3', 'h4', 'h5', 'h6'] as const;

/** The headings of one text so far. The look of a heading follows its typed depth instead. */
export class Levels {
  /** Typed depths of the headings that the next one may lie below, outermost first. */
  #above: readonly number[];

  constructor(above: readonly number[] = []) {
    this.#above = above;
  }

  /** The element for the next heading. */
  elementOf(depth: number): (typeof LEVELS)[number] {
    this.#above = [...this.#above.filter((one) => one < depth), depth];
    return LEVELS[this.#above.length - 1] ?? 'h6';
  }

  copy(): Levels {
    return new Levels(this.#above);
  }
}
