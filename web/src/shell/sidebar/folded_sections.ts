/** Collapsed sections of the sidebar, kept in the browser. */
import { createSignal } from 'solid-js';
import { browserStorage } from '../../state/storage';

const KEPT_AS = 'parlour.folded';
const FOLDED_AT_FIRST = ['archived'];

const [folded, setFolded] = createSignal<readonly string[]>(readFolded());

export function isFolded(section: string): boolean {
  return folded().includes(section);
}

export function toggleFolded(section: string): void {
  setFolded((old) => (old.includes(section) ? old.filter((one) => one !== section) : [...old, section]));
  browserStorage().set(KEPT_AS, folded());
}

function readFolded(): readonly string[] {
  const kept = browserStorage().get(KEPT_AS);
  return Array.isArray(kept) ? kept.filter((one): one is string => typeof one === 'string') : FOLDED_AT_FIRST;
}
