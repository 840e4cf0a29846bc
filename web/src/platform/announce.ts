/** What a screen reader says by itself: results, never the tokens of an answer. */
import { createSignal } from 'solid-js';

const [announcement, setAnnouncement] = createSignal('', { equals: false });

/** The last thing said; the page keeps it in one polite live region. */
export { announcement };

export function announce(text: string): void {
  setAnnouncement(text);
}
