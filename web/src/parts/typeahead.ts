/** Letters typed one after the other find the next entry that begins with them. */

/** A pause of this length begins a new word. */
const PAUSE_MS = 700;

export class Typeahead {
  #typed = '';
  #at = Number.NEGATIVE_INFINITY;

  /** Takes a letter at a time (ms); answers which of the labels is meant, looking onwards from `from`. */
  find(letter: string, now: number, labels: readonly string[], from: number): number | undefined {
    const isNew = now - this.#at > PAUSE_MS;
    this.#typed = isNew ? letter : this.#typed + letter;
    this.#at = now;
    const isRepeated = [...this.#typed].every((one) => one === letter);
    const word = (isRepeated ? letter : this.#typed).toLocaleLowerCase();
    // The same letter again goes on to the next; a longer word may still mean the present one.
    const first = isNew || isRepeated ? from + 1 : from;
    for (let step = 0; step < labels.length; step += 1) {
      const index = (first + step) % labels.length;
      if (labels[index]?.toLocaleLowerCase().startsWith(word)) return index;
    }
    return undefined;
  }
}
