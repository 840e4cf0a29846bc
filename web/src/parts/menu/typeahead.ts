/** Type-ahead: finds the next entry that starts with the typed letters. */

/** A longer pause starts a new word. */
const PAUSE_MS = 700;

export class Typeahead {
  #typed = '';
  #at = Number.NEGATIVE_INFINITY;

  /** Adds a letter typed at a time (ms); returns the index of the matching label, searching from `from`. */
  find(letter: string, now: number, labels: readonly string[], from: number): number | undefined {
    const isNew = now - this.#at > PAUSE_MS;
    this.#typed = isNew ? letter : this.#typed + letter;
    this.#at = now;
    const isRepeated = [...this.#typed].every((one) => one === letter);
    const word = (isRepeated ? letter : this.#typed).toLocaleLowerCase();
    // A repeated letter moves on; a longer word may still match the current entry.
    const first = isNew || isRepeated ? from + 1 : from;
    for (let step = 0; step < labels.length; step += 1) {
      const index = (first + step) % labels.length;
      if (labels[index]?.toLocaleLowerCase().startsWith(word)) return index;
    }
    return undefined;
  }
}
