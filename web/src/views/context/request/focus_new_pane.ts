/** For links inside a pane that open another pane: moves the focus there, because the link disappears. */
import { giveFocus } from '../../../platform/focus';

export function focusNewPane(event: MouseEvent): void {
  const opensElsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0;
  // The router's listener was registered earlier and runs first.
  if (!opensElsewhere) addEventListener('hashchange', () => giveFocus('pane'), { once: true });
}
