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
  readonly #records = new Map<string, CachedRecord<Value>>();
  readonly #changed = new Triggers();
  /** Requested but not sent yet, newest last. */
  readonly #requested = new Set<string>();
  /** Being loaded; true when an event arrived meanwhile. */
  readonly #loading = new Map<string, boolean>();

  constructor(private readonly read: (id: string) => Promise<Value | undefined>) {}

  /** A signal: the record, once it is loaded. Reading it loads it. */
  get(id: string): Value | undefined {
    this.#changed.track(id);
    const record = this.#records.get(id);
    if (record) {
      this.#records.delete(id);
      this.#records.set(id, record);
    }
    if (!record || record.isStale) this.#request(id);
    return record?.value;
  }

  /** Returns the record without tracking or loading it. */
  peek(id: string): Value | undefined {
    return this.#records.get(id)?.value;
  }

  put(id: string, value: Value): void {
    this.#noteEvent(id);
    this.#keep(id, { value });
  }

  /** Changes the record, if it is cached. */
  change(id: string, change: (value: Value) => Value): void {
    this.#noteEvent(id);
    const value = this.#records.get(id)?.value;
    if (value !== undefined) this.#keep(id, { value: change(value) });
  }

  /** The record may have changed: it is loaded again on the next read. */
  refresh(id: string): void {
    this.#noteEvent(id);
    const record = this.#records.get(id);
    if (!record) return;
    this.#records.set(id, { ...record, isStale: true });
    this.#changed.run(id);
  }

  /** All records may have changed: events were missed. */
  refreshAll(): void {
    for (const id of [...this.#records.keys(), ...this.#loading.keys()]) this.refresh(id);
  }

  /** Records that match may have changed. */
  refreshWhere(matches: (value: Value) => boolean): void {
    for (const [id, { value }] of [...this.#records]) if (value !== undefined && matches(value)) this.refresh(id);
  }

  clear(): void {
    this.#records.clear();
    this.#requested.clear();
    this.#changed.runAll();
  }

  #noteEvent(id: string): void {
    if (this.#loading.has(id)) this.#loading.set(id, true);
  }

  #keep(id: string, record: CachedRecord<Value>): void {
    this.#records.set(id, record);
    const [oldest] = this.#records.keys();
    if (this.#records.size > RECORDS_MAX && oldest !== undefined) this.#records.delete(oldest);
    this.#changed.prune(2 * RECORDS_MAX, (one) => this.#records.has(one));
    this.#changed.run(id);
  }

  #request(id: string): void {
    if (this.#loading.has(id)) return;
    this.#requested.delete(id);
    this.#requested.add(id);
    // Asynchronous: the loader of a test may resolve at once.
    queueMicrotask(() => this.#loadNext());
  }

  #loadNext(): void {
    while (this.#loading.size < REQUESTS_MAX) {
      const id = [...this.#requested].at(-1);
      if (id === undefined) return;
      this.#requested.delete(id);
      this.#loading.set(id, false);
      void this.#loadOne(id);
    }
  }

  async #loadOne(id: string): Promise<void> {
    const answer = await this.read(id).then(
      (value) => ({ value }),
      () => undefined,
    );
    const isOld = this.#loading.get(id) === true;
    this.#loading.delete(id);
    // The event may be newer or older than the response: loading again decides.
    if (isOld) this.#requested.add(id);
    const known = this.#records.get(id);
    const value = answer ? answer.value : known?.value;
    this.#keep(id, value === undefined ? {} : { value });
    this.#loadNext();
  }
}
