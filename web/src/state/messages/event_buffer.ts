/** What is heard while a page is on its way: the page may be older than it, so it is taken again after the page. */
import type { Change } from '../../api/events';

/** Changes that are kept; beyond that the oldest are lost, and the history has to be read again. */
export const EVENT_BUFFER_MAX = 5_000;

export class EventBuffer {
  #changes: Change[] = [];
  #waiting = 0;
  /** More was heard than is kept. */
  hasLost = false;

  add(change: Change): void {
    if (this.#waiting === 0) return;
    this.#changes.push(change);
    if (this.#changes.length <= EVENT_BUFFER_MAX) return;
    this.#changes.shift();
    this.hasLost = true;
  }

  all(): readonly Change[] {
    return this.#changes;
  }

  /** Keeps what is heard while something is read and taken. */
  async during<Answer>(readAndTake: () => Promise<Answer>): Promise<Answer> {
    this.#waiting += 1;
    try {
      return await readAndTake();
    } finally {
      this.#end();
    }
  }

  #end(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    this.#changes = [];
    this.hasLost = false;
  }
}
