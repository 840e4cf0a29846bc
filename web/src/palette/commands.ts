/** What the palette can do. Any part of the page may add to it while it stands. */
import { createSignal } from 'solid-js';
import type { IconName } from '../parts/Icon';
import type { Store } from '../state/contract';

export interface PaletteCommand {
  readonly id: string;
  /** A verb first: "Start a dm". */
  readonly label: string;
  /** Other words by which it is looked for. */
  readonly words?: string;
  readonly icon: IconName;
  /** The shortcut that does the same, by its id in the table. */
  readonly shortcut?: string;
  /** Left out where it makes no sense. */
  isFor?(store: Store): boolean;
  run(store: Store): void;
}

const [commands, setCommands] = createSignal<readonly PaletteCommand[]>([]);

export { commands };

/** Adds commands until the returned function is called. */
export function addCommands(added: readonly PaletteCommand[]): () => void {
  setCommands((old) => [...old, ...added]);
  return () => setCommands((old) => old.filter((one) => !added.includes(one)));
}
