/** Whose ledgers are open: the reader's choice outlives the row, which comes and goes as the list is scrolled. */
import { createRoot, createSignal } from 'solid-js';

/** Nobody has more of them open; those that were opened first are closed. */
const OPEN_MAX = 50;

const [open, setOpen] = createRoot(() => createSignal<ReadonlySet<string>>(new Set()));

/** Whether the table below this row is open. */
export function isLedgerOpen(key: string): boolean {
  return open().has(key);
}

export function toggleLedger(key: string): void {
  setOpen((now) => {
    if (now.has(key)) return new Set([...now].filter((one) => one !== key));
    return new Set([...now, key].slice(-OPEN_MAX));
  });
}
