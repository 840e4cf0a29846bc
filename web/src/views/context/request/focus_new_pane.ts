/** For a link inside a pane that leads to another pane: the link goes away, and the keyboard shall not go with it. */
import { giveFocus } from '../../../platform/focus';

export function focusNewPane(event: MouseEvent): void {
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  // The route changes first: it has listened for longer.
  if (!opensElsewhere) addEventListener('hashchange', () => giveFocus('pane'), { once: true });
}
