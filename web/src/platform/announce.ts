/** What a screen reader says by itself: results, never the tokens of an answer. */
import { createSignal } from 'solid-js';

const [announcement, setAnnouncement] = createSignal('');

/** The last thing said; the page keeps it in one polite live region. */
export { announcement };

/** A mark that nobody hears: without it the same words again would be no change, and stay unsaid. */
const AGAIN = '\u00a0';

export function announce(text: string): void {
  setAnnouncement((last) => (last === text ? text + AGAIN : text));
}
