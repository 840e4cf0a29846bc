/** The registry of palette commands. Components add commands while they are mounted. */
import { createSignal } from 'solid-js';
import type { IconName } from '../parts/Icon';
import type { Store } from '../state/contract';

export interface PaletteCommand {
  readonly id: string;
  /** Starts with a verb: "Start a DM". */
  readonly label: string;
  /** Further search words. */
  readonly words?: string;
  readonly icon: IconName;
  /** The id of the shortcut with the same effect. */
  readonly shortcut?: string;
  /** Returns whether the command is available. */
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
