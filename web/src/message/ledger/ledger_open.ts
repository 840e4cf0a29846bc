/** The rows whose delivery table is open; remembered while rows are unmounted. */
import { createRoot, createSignal } from 'solid-js';

/** Beyond this number the oldest are closed. */
const OPEN_MAX = 50;

const [open, setOpen] = createRoot(() => createSignal<ReadonlySet<string>>(new Set()));

export function isLedgerOpen(key: string): boolean {
  return open().has(key);
}

export function toggleLedger(key: string): void {
  setOpen((now) => {
    if (now.has(key)) return new Set([...now].filter((one) => one !== key));
    return new Set([...now, key].slice(-OPEN_MAX));
  });
}
