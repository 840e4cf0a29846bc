/** Whether the page is visible and focused; messages shown meanwhile count as read. */
import { createSignal, onCleanup } from 'solid-js';

export function isPageWatched(): boolean {
  return document.visibilityState === 'visible' && document.hasFocus();
}

/** The same as a signal. */
export function createPageWatched(): () => boolean {
  const [watching, setWatching] = createSignal(isPageWatched());
  const end = new AbortController();
  const look = () => setWatching(isPageWatched());
  for (const name of ['focus', 'blur'] as const) addEventListener(name, look, { signal: end.signal });
  document.addEventListener('visibilitychange', look, { signal: end.signal });
  onCleanup(() => end.abort());
  return watching;
}
