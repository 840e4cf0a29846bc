/** Presence of members in the open project. */
import { createSignal } from 'solid-js';
import type { PresenceChanges } from '../../api/events';
import type { Presence } from '../../api/model';

export class PresenceState {
  readonly #byMember = createSignal<ReadonlyMap<string, Presence>>(new Map());
  /** Counts changes, so that a list requested before a change does not overwrite it. */
  #changes = 0;

  /** A signal: by member id. */
  all = (): ReadonlyMap<string, Presence> => this.#byMember[0]();

  set(list: readonly Presence[]): void {
    this.#changes += 1;
    this.#byMember[1](new Map(list.map((one) => [one.member_id, one])));
  }

  /** Applies changes. When they are partial, loads the whole list with `readAll`. */
  async take(changes: PresenceChanges, readAll: () => Promise<readonly Presence[]>): Promise<void> {
    this.#changes += 1;
    const next = new Map(this.#byMember[0]());
    for (const one of changes.present) next.set(one.member_id, one);
    for (const member of changes.gone) next.delete(member);
    this.#byMember[1](next);
    if (changes.is_partial) await this.readAgain(readAll);
  }

  /** Loads the whole list; drops it when a change arrives first. */
  async readAgain(readAll: () => Promise<readonly Presence[]>): Promise<void> {
    const before = this.#changes;
    const list = await readAll().catch(() => undefined);
    if (list && before === this.#changes) this.set(list);
  }
}
