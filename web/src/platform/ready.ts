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

/** Settles when the first conversation is shown, or after a while without one. */
export function whenReady(): Promise<void> {
  return Promise.race([shown, new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS))]);
}
