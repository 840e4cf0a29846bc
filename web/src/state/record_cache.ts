/**
 * Things that are read from the hub when somebody first looks at them: kept for a while, and kept up to date by events.
 *
 * What an event tells while the thing is on its way may be newer than it, so it is then read once more.
 */
import { Triggers } from './triggers';

/** Things that are kept; those that were not looked at for longest are let go. */
export const RECORDS_MAX = 500;
/** Requests at once. A list that scrolls by asks for many things, and those that were wished last are in sight. */
export const REQUESTS_MAX = 4;

interface CachedRecord<Value> {
  /** Absent when there is no such thing, or it could not be read. */
  readonly value?: Value;
  /** To be read again as soon as somebody looks. */
  readonly isStale?: boolean;
}

export class RecordCache<Value> {
  /** In the order in which they were looked at. */
  readonly #kept = new Map<string, CachedRecord<Value>>();
  readonly #changed = new Triggers();
  /** Wished for and not asked yet, the newest last. */
  readonly #wished = new Set<string>();
  /** On their way; true when an event was heard meanwhile. */
  readonly #asked = new Map<string, boolean>();

  constructor(private readonly read: (id: string) => Promise<Value | undefined>) {}

  /** A signal: the thing, as soon as it is known. Looking at it has it read. */
  get(id: string): Value | undefined {
    this.#changed.track(id);
    const kept = this.#kept.get(id);
    if (kept) {
      this.#kept.delete(id);
      this.#kept.set(id, kept);
    }
    if (!kept || kept.isStale) this.#wish(id);
    return kept?.value;
  }

  /** The thing as far as it is known, without following it. */
  peek(id: string): Value | undefined {
    return this.#kept.get(id)?.value;
  }

  /** Takes the thing as it is now. */
  put(id: string, value: Value): void {
    this.#noteNews(id);
    this.#keep(id, { value });
  }

  /** Changes the thing, if it is here. */
  change(id: string, change: (value: Value) => Value): void {
    this.#noteNews(id);
    const value = this.#kept.get(id)?.value;
    if (value !== undefined) this.#keep(id, { value: change(value) });
  }

  /** The thing may have changed: whoever looks at it has it read again. */
  refresh(id: string): void {
    this.#noteNews(id);
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.set(id, { ...kept, isStale: true });
    this.#changed.run(id);
  }

  /** All may have changed: events were missed. */
  refreshAll(): void {
    for (const id of [...this.#kept.keys(), ...this.#asked.keys()]) this.refresh(id);
  }

  /** Those for which this holds may have changed. */
  refreshWhere(isMeant: (value: Value) => boolean): void {
    for (const [id, { value }] of [...this.#kept]) if (value !== undefined && isMeant(value)) this.refresh(id);
  }

  clear(): void {
    this.#kept.clear();
    this.#wished.clear();
    this.#changed.runAll();
  }

  #noteNews(id: string): void {
    if (this.#asked.has(id)) this.#asked.set(id, true);
  }

  #keep(id: string, kept: CachedRecord<Value>): void {
    this.#kept.set(id, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > RECORDS_MAX && oldest !== undefined) this.#kept.delete(oldest);
    this.#changed.prune(2 * RECORDS_MAX, (one) => this.#kept.has(one));
    this.#changed.run(id);
  }

  #wish(id: string): void {
    if (this.#asked.has(id)) return;
    this.#wished.delete(id);
    this.#wished.add(id);
    // Not while somebody looks: the answer of a test may be there at once.
    queueMicrotask(() => this.#ask());
  }

  #ask(): void {
    while (this.#asked.size < REQUESTS_MAX) {
      const id = [...this.#wished].at(-1);
      if (id === undefined) return;
      this.#wished.delete(id);
      this.#asked.set(id, false);
      void this.#askOne(id);
    }
  }

  async #askOne(id: string): Promise<void> {
    const answer = await this.read(id).then(
      (value) => ({ value }),
      () => undefined,
    );
    const isOld = this.#asked.get(id) === true;
    this.#asked.delete(id);
    // What was heard meanwhile may be newer than the answer, or older: reading again tells.
    if (isOld) this.#wished.add(id);
    const known = this.#kept.get(id);
    const value = answer ? answer.value : known?.value;
    this.#keep(id, value === undefined ? {} : { value });
    this.#ask();
  }
}
