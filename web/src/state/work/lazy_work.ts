/** Loads `Work` after the first conversation is shown, or earlier when it is needed. */
import { createSignal, untrack } from 'solid-js';
import { Refusal } from '../../api/refusal';
import { whenReady } from '../../platform/ready';
import type { Commands, WorkCommands } from '../contract';
import type { Work, WorkParts } from './work';

export class LazyWork {
  readonly #work = createSignal<Work | undefined>();
  #loading: Promise<Work> | undefined;
  #hasEnded = false;

  constructor(private readonly parts: WorkParts) {}

  /** A signal; reading it loads it. */
  get = (): Work | undefined => {
    if (!this.now()) this.use(() => {});
    return this.#work[0]();
  };

  /** Returns it if it is loaded. */
  now(): Work | undefined {
    return untrack(this.#work[0]);
  }

  /** Loads it, or reloads its data after signing in. */
  begin(): void {
    const work = this.now();
    if (work) work.catchUp();
    else this.use(() => {});
  }

  /** Calls back once it is loaded. */
  use(act: (work: Work) => void): void {
    const work = this.now();
    if (work) act(work);
    else void whenReady().then(() => this.load().then(act, () => {}));
  }

  end(): void {
    this.#hasEnded = true;
    this.now()?.end();
  }

  /** A failed load is retried by the next caller. */
  load(): Promise<Work> {
    this.#loading ??= this.#bring().catch(() => {
      this.#loading = undefined;
      throw new Refusal('PAGE', 'This part of the page could not be loaded from the hub. Reload the page.');
    });
    return this.#loading;
  }

  async #bring(): Promise<Work> {
    const file = await import('./work');
    const work = new file.Work(this.parts);
    if (this.#hasEnded) work.end();
    this.#work[1](work);
    return work;
  }
}

/** Adds the lazily loaded commands. */
export function withLazyCommands(known: Omit<Commands, keyof WorkCommands>, work: LazyWork): Commands {
  const wait =
    (name: keyof WorkCommands) =>
    async (...given: never[]): Promise<unknown> => {
      const run = (await work.load()).commands[name] as (...given: never[]) => Promise<unknown>;
      return run(...given);
    };
  return new Proxy(known as Commands, {
    get: (commands, name) => commands[name as keyof Commands] ?? wait(name as keyof WorkCommands),
  });
}
