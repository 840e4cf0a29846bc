/** Buffers events while a page is being loaded: they may be newer than the page and are applied after it. */
import type { Change } from '../../api/events';

/** Beyond this number the oldest are dropped, and the history is loaded again. */
export const EVENT_BUFFER_MAX = 5_000;

export class EventBuffer {
  #changes: Change[] = [];
  #waiting = 0;
  /** Events were dropped. */
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

  /** Buffers events while a page is loaded and merged. */
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
