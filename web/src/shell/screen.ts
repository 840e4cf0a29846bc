/** Signals for the breakpoints of the style sheets. */
import { type Accessor, createSignal } from 'solid-js';

/** The pane is a drawer. */
export const isNarrow = follow('(max-width: 900px)');
/** The sidebar is a drawer too. */
export const isPhone = follow('(max-width: 600px)');

function follow(query: string): Accessor<boolean> {
  const media = matchMedia(query);
  const [matches, setMatches] = createSignal(media.matches);
  media.addEventListener('change', () => setMatches(media.matches));
  return matches;
}
