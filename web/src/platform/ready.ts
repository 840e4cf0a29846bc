/** When the first conversation is shown: what is not needed for that waits until then. */

/** How long others wait for it at the most: a conversation may fail to load. */
const WAIT_MS = 1_500;

let tell: () => void = () => {};
const shown = new Promise<void>((resolve) => {
  tell = resolve;
});

/** The first conversation is shown. Later calls change nothing. */
export function markReady(): void {
  if (performance.getEntriesByName('ready').length === 0) performance.mark('ready');
  tell();
}

let waiting: Promise<void> | undefined;

/** Settles when the first conversation is shown, or when the first who asked has waited long enough. */
export function whenReady(): Promise<void> {
  waiting ??= Promise.race([shown, new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS))]);
  return waiting;
}
