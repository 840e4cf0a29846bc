/**
 * A cache of records that are loaded on first read and updated by events.
 *
 * An event that arrives while a record is loading may be newer, so the record is then loaded again.
 */
import { Triggers } from './triggers';

/** The least recently used records are dropped. */
export const RECORDS_MAX = 500;
/** Concurrent requests. While a list scrolls, the last requested records are the visible ones. */
export const REQUESTS_MAX = 4;

interface CachedRecord<Value> {
  /** Missing when there is no such record, or it could not be loaded. */
  readonly value?: Value;
  /** To be loaded again on the next read. */
  readonly isStale?: boolean;
}

export class RecordCache<Value> {
  /** Least recently used first. */
  readonly #kept = new Map<string, CachedRecord<Value>>();
  readonly #changed = new Triggers();
  /** Requested but not sent yet, newest last. */
  readonly #wished = new Set<string>();
  /** Being loaded; true when an event arrived meanwhile. */
  readonly #asked = new Map<string, boolean>();

  constructor(private readonly read: (id: string) => Promise<Value | undefined>) {}

  /** A signal: the record, once it is loaded. Reading it loads it. */
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

  /** Returns the record without tracking or loading it. */
  peek(id: string): Value | undefined {
    return this.#kept.get(id)?.value;
  }

  put(id: string, value: Value): void {
    this.#noteNews(id);
    this.#keep(id, { value });
  }

  /** Changes the record, if it is cached. */
  change(id: string, change: (value: Value) => Value): void {
    this.#noteNews(id);
    const value = this.#kept.get(id)?.value;
    if (value !== undefined) this.#keep(id, { value: change(value) });
  }

  /** The record may have changed: it is loaded again on the next read. */
  refresh(id: string): void {
    this.#noteNews(id);
    const kept = this.#kept.get(id);
    if (!kept) return;
    this.#kept.set(id, { ...kept, isStale: true });
    this.#changed.run(id);
  }

  /** All records may have changed: events were missed. */
  refreshAll(): void {
    for (const id of [...this.#kept.keys(), ...this.#asked.keys()]) this.refresh(id);
  }

  /** Records that match may have changed. */
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
    // Asynchronous: the loader of a test may resolve at once.
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
    // The event may be newer or older than the response: loading again decides.
    if (isOld) this.#wished.add(id);
    const known = this.#kept.get(id);
    const value = answer ? answer.value : known?.value;
    this.#keep(id, value === undefined ? {} : { value });
    this.#ask();
  }
}
