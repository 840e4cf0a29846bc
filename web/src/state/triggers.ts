/** Signals without values, one per id: only readers of a changed id run. */
import { createSignal } from 'solid-js';

export class Triggers {
  readonly #byId = new Map<string, { track: () => void; run: () => void }>();

  /** Tracks an id. */
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

  /** Drops ids that are not needed any more, when there are many. */
  prune(max: number, isNeeded: (id: string) => boolean): void {
    if (this.#byId.size <= max) return;
    for (const id of this.#byId.keys()) if (!isNeeded(id)) this.#byId.delete(id);
  }
}
