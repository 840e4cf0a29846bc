/** The outbox of one member as a signal, kept in the browser and shared by all of its tabs. */
import { createSignal } from 'solid-js';
import type { Outgoing } from '../contract';
import type { Storage } from '../storage';
import { drop, inOrder, put, readStored, toStored } from './outbox';

export class OutboxStore {
  readonly #list = createSignal<readonly Outgoing[]>([]);
  readonly #prefix: string;
  readonly #stop: () => void;
  /** What the browser refused to keep: it is in the memory of this tab only. */
  readonly #unkept = new Set<string>();

  /** Each message has a key of its own, so two tabs that write at once do not undo each other. */
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

  /** A signal: all of them, in the order in which they were written. */
  all = (): readonly Outgoing[] => this.#list[0]();

  get(id: string): Outgoing | undefined {
    return this.#list[0]().find((one) => one.id === id);
  }

  put(one: Outgoing): void {
    this.#list[1]((list) => put(list, one));
    this.#keep(one);
  }

  /** Says how it goes with a message; one that has arrived meanwhile, or was taken back, stays gone. */
  setStatus(id: string, status: Outgoing['status']): void {
    const one = this.get(id);
    if (!one) return;
    const next = { ...one, status };
    this.#list[1]((list) => put(list, next));
    // That it is being sent is the matter of this tab alone.
    if (status.state !== 'sending') this.#keep(next);
  }

  /** Forgets a message, in the browser too; cheap for one that is not here, as most that are posted are not. */
  drop(id: string): Outgoing | undefined {
    const one = this.get(id);
    if (!one) return undefined;
    this.#list[1]((list) => drop(list, id));
    this.storage.remove(this.#prefix + id);
    this.#unkept.delete(id);
    return one;
  }

  /** Whether a message is still kept: another tab may have sent it, and its notice may not be here yet. */
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
