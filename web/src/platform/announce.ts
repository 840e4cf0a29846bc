/** Announcements for screen readers: results, never tokens of an answer. */
import { createSignal } from 'solid-js';

const [announcement, setAnnouncement] = createSignal('');

/** The last announcement; the page shows it in one polite live region. */
export { announcement };

/** An inaudible suffix: without it the same text would be no change and would not be announced again. */
const REPEAT_SUFFIX = '\u00a0';

export function announce(text: string): void {
  setAnnouncement((last) => (last === text ? text + REPEAT_SUFFIX : text));
}
