/** Signals that the first conversation is shown: other work waits until then. */

/** Maximum wait, because a conversation may fail to load. */
const WAIT_MS = 1_500;

let resolveShown: () => void = () => {};
const shown = new Promise<void>((resolve) => {
  resolveShown = resolve;
});

/** Called when the first conversation is shown. Later calls have no effect. */
export function markReady(): void {
  if (performance.getEntriesByName('ready').length === 0) performance.mark('ready');
  resolveShown();
}

let waiting: Promise<void> | undefined;

/** Resolves when the first conversation is shown, or after the maximum wait. */
export function whenReady(): Promise<void> {
  waiting ??= Promise.race([shown, new Promise<void>((resolve) => setTimeout(resolve, WAIT_MS))]);
  return waiting;
}
