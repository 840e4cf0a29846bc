/** `F6`: moves the focus through the parts of the page in reading order. */
import { giveFocus, type Region } from './focus';
import { route } from './router';

/** A composer in the pane belongs to the pane, so the pane is matched first. */
const MARKS: readonly (readonly [selector: string, Region])[] = [
  ['nav.sidebar', 'sidebar'],
  ['aside.pane', 'pane'],
  ['.composer', 'composer'],
  ['main', 'messages'],
];
const ORDER: readonly Region[] = ['sidebar', 'messages', 'composer', 'pane'];
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Focuses the next part; parts that are not mounted are skipped. */
export function focusNextRegion(): void {
  const here = MARKS.find(([selector]) => document.activeElement?.closest(selector))?.[1];
  const start = here ? ORDER.indexOf(here) : -1;
  for (let step = 1; step <= ORDER.length; step += 1) {
    const region = ORDER[(start + step) % ORDER.length];
    if (region && enter(region)) return;
  }
}

/** The middle of the page means the open conversation, not a thread in the pane. */
function enter(region: Region): boolean {
  if (region === 'sidebar' || region === 'pane') return giveFocus(region);
  const here = route();
  if (here.view === 'conversation') return giveFocus(region, here.conversationId);
  return region === 'messages' && enterMain();
}

/** Other views focus their first control. */
function enterMain(): boolean {
  const first = document.querySelector('main')?.querySelector<HTMLElement>(FOCUSABLE);
  first?.focus();
  return first !== null && first !== undefined;
}
