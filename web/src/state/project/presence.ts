/** Who is there in the open project, and in which way. */
import { createSignal } from 'solid-js';
import type { PresenceChanges } from '../../api/events';
import type { Presence } from '../../api/model';

export class PresenceState {
  readonly #byMember = createSignal<ReadonlyMap<string, Presence>>(new Map());
  /** Counts the changes, so that a list that was read before the newest of them is not taken for newer. */
  #changes = 0;

  /** A signal: by the id of the member. */
  all = (): ReadonlyMap<string, Presence> => this.#byMember[0]();

  set(list: readonly Presence[]): void {
    this.#changes += 1;
    this.#byMember[1](new Map(list.map((one) => [one.member_id, one])));
  }

  /** Takes changes. When more has changed than they tell, `readAll` is asked for the whole list. */
  async take(changes: PresenceChanges, readAll: () => Promise<readonly Presence[]>): Promise<void> {
    this.#changes += 1;
    const next = new Map(this.#byMember[0]());
    for (const one of changes.present) next.set(one.member_id, one);
    for (const member of changes.gone) next.delete(member);
    this.#byMember[1](next);
    if (changes.is_partial) await this.readAgain(readAll);
  }

  /** Takes the whole list, unless something newer comes first. */
  async readAgain(readAll: () => Promise<readonly Presence[]>): Promise<void> {
    const before = this.#changes;
    const list = await readAll().catch(() => undefined);
    if (list && before === this.#changes) this.set(list);
  }
}
