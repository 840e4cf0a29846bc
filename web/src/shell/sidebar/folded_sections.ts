/** Collapsed sections of the sidebar, stored in the browser. */
import { createSignal } from 'solid-js';
import { browserStorage } from '../../state/storage';

const STORAGE_KEY = 'parlour.folded';
const FOLDED_AT_FIRST = ['archived'];

const [folded, setFolded] = createSignal<readonly string[]>(readFolded());

export function isFolded(section: string): boolean {
  return folded().includes(section);
}

export function toggleFolded(section: string): void {
  setFolded((old) => (old.includes(section) ? old.filter((one) => one !== section) : [...old, section]));
  browserStorage().set(STORAGE_KEY, folded());
}

function readFolded(): readonly string[] {
  const stored = browserStorage().get(STORAGE_KEY);
  return Array.isArray(stored) ? stored.filter((one): one is string => typeof one === 'string') : FOLDED_AT_FIRST;
}
