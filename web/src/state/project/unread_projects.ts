/** Unread counts of projects that are not open: loaded from the hub after events. */
import { createSignal } from 'solid-js';
import type { Hub } from '../../api/hub';
import type { Unread } from '../contract';

/** Debounce time for events. */
export const RELOAD_DEBOUNCE_MS = 1_000;

export class UnreadProjects {
  readonly #counts = createSignal<ReadonlyMap<string, Unread>>(new Map());
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
  #wanted: ReadonlySet<string> = new Set();

  constructor(private readonly hub: Pick<Hub, 'unread'>) {}

  /** A signal: by project id. */
  all = (): ReadonlyMap<string, Unread> => this.#counts[0]();

  /** Replaces the set of projects that are counted. */
  watch(projectIds: readonly string[]): void {
    this.#wanted = new Set(projectIds);
    for (const [id, timer] of this.#timers) {
      if (!this.#wanted.has(id)) {
        clearTimeout(timer);
        this.#timers.delete(id);
      }
    }
    this.#counts[1](new Map([...this.all()].filter(([id]) => this.#wanted.has(id))));
    for (const id of projectIds) if (!this.all().has(id)) void this.#ask(id);
  }

  /** An event of a project arrived. */
  note(projectId: string): void {
    if (!this.#wanted.has(projectId) || this.#timers.has(projectId)) return;
    this.#timers.set(
      projectId,
      setTimeout(() => {
        this.#timers.delete(projectId);
        void this.#ask(projectId);
      }, RELOAD_DEBOUNCE_MS),
    );
  }

  noteAll(): void {
    for (const id of this.#wanted) this.note(id);
  }

  async #ask(projectId: string): Promise<void> {
    const unread = await this.hub.unread(projectId).catch(() => undefined);
    if (!unread || !this.#wanted.has(projectId)) return;
    const counts = { messages: unread.total, mentions: unread.mentions };
    this.#counts[1]((old) => new Map(old).set(projectId, counts));
  }
}
