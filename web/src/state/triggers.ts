/** Signals without values, one for each id that somebody reads: only readers of what has changed run. */
import { createSignal } from 'solid-js';

export class Triggers {
  readonly #byId = new Map<string, { track: () => void; run: () => void }>();

  /** Whoever reads here runs again when this id changes. */
  track(id: string): void {
    let trigger = this.#byId.get(id);
    if (!trigger) {
      const [track, run] = createSignal(undefined, { equals: false });
      trigger = { track, run: () => run() };
      this.#byId.set(id, trigger);
    }
    trigger.track();
  }

  run(id: string): void {
    this.#byId.get(id)?.run();
  }

  runAll(): void {
    for (const trigger of this.#byId.values()) trigger.run();
  }

  /** Forgets ids that nobody will read again, when there are many. */
  prune(max: number, isNeeded: (id: string) => boolean): void {
    if (this.#byId.size <= max) return;
    for (const id of this.#byId.keys()) if (!isNeeded(id)) this.#byId.delete(id);
  }
}
