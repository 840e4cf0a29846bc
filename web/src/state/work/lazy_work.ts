/** Brings `Work` when the page has been shown, or when somebody needs it before. */
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

  /** A signal; whoever reads it has it loaded, as soon as the first conversation is shown. */
  get = (): Work | undefined => {
    if (!this.now()) this.use(() => {});
    return this.#work[0]();
  };

  /** As far as it is loaded. */
  now(): Work | undefined {
    return untrack(this.#work[0]);
  }

  /** Has it loaded when nothing else is waited for, or read again: somebody is signed in. */
  begin(): void {
    const work = this.now();
    if (work) work.catchUp();
    else this.use(() => {});
  }

  /** Hands it over once it is there. */
  use(act: (work: Work) => void): void {
    const work = this.now();
    if (work) act(work);
    else void whenReady().then(() => this.load().then(act, () => {}));
  }

  end(): void {
    this.#hasEnded = true;
    this.now()?.end();
  }

  /** A file that could not be loaded is asked for again by the next who needs it. */
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

/** All commands: those that are not among these wait for the part that carries them out. */
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
