/** The outbox of one member as a signal, stored in the browser and shared by its tabs. */
import { createSignal } from 'solid-js';
import type { Outgoing } from '../contract';
import type { Storage } from '../storage';
import { drop, inOrder, put, readStored, toStored } from './outbox';

export class OutboxStore {
  readonly #list = createSignal<readonly Outgoing[]>([]);
  readonly #prefix: string;
  readonly #stop: () => void;
  /** Messages that the browser could not store: they are only in the memory of this tab. */
  readonly #unkept = new Set<string>();

  /** One key per message, so that two tabs do not overwrite each other. */
  constructor(
    private readonly storage: Storage,
    memberId: string,
    onOthers: () => void = () => {},
  ) {
    this.#prefix = `parlour.out.${memberId}.`;
    this.#list[1](inOrder(storage.keys(this.#prefix).flatMap((key) => readStored(storage.get(key)) ?? [])));
    this.#stop = storage.listen(this.#prefix, (key, value) => {
      const one = readStored(value);
      this.#list[1]((list) => (one ? put(list, one) : drop(list, key.slice(this.#prefix.length))));
      onOthers();
    });
  }

  /** A signal: all messages, in the order of creation. */
  all = (): readonly Outgoing[] => this.#list[0]();

  get(id: string): Outgoing | undefined {
    return this.#list[0]().find((one) => one.id === id);
  }

  put(one: Outgoing): void {
    this.#list[1]((list) => put(list, one));
    this.#keep(one);
  }

  /** Sets the status of a message; a message that was removed meanwhile stays removed. */
  setStatus(id: string, status: Outgoing['status']): void {
    const one = this.get(id);
    if (!one) return;
    const next = { ...one, status };
    this.#list[1]((list) => put(list, next));
    // The state "sending" is not stored: it concerns only this tab.
    if (status.state !== 'sending') this.#keep(next);
  }

  /** Removes a message, also from the browser; cheap for unknown ids, which are the normal case. */
  drop(id: string): Outgoing | undefined {
    const one = this.get(id);
    if (!one) return undefined;
    this.#list[1]((list) => drop(list, id));
    this.storage.remove(this.#prefix + id);
    this.#unkept.delete(id);
    return one;
  }

  /** Whether a message is still stored: another tab may have sent it already. */
  isStored(id: string): boolean {
    return this.#unkept.has(id) || this.storage.get(this.#prefix + id) !== undefined;
  }

  close(): void {
    this.#stop();
  }

  #keep(one: Outgoing): void {
    if (this.storage.set(this.#prefix + one.id, toStored(one))) this.#unkept.delete(one.id);
    else this.#unkept.add(one.id);
  }
}
