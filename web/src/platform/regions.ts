/** `F6`: around the parts of the page, in reading order. */
import { giveFocus, type Region } from './focus';
import { route } from './router';

/** A composer in the pane belongs to the pane, so that is asked before it. */
const MARKS: readonly (readonly [selector: string, Region])[] = [
  ['nav.sidebar', 'sidebar'],
  ['aside.pane', 'pane'],
  ['.composer', 'composer'],
  ['main', 'messages'],
];
const ORDER: readonly Region[] = ['sidebar', 'messages', 'composer', 'pane'];
const FOCUSABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), [tabindex="0"]';

/** Gives the focus to the part after the one that has it; parts that are not there are passed over. */
export function focusNextRegion(): void {
  const here = MARKS.find(([selector]) => document.activeElement?.closest(selector))?.[1];
  const start = here ? ORDER.indexOf(here) : -1;
  for (let step = 1; step <= ORDER.length; step += 1) {
    const region = ORDER[(start + step) % ORDER.length];
    if (region && enter(region)) return;
  }
}

/** In the middle of the page the list and composer of the open conversation are meant, not those of a thread beside it. */
function enter(region: Region): boolean {
  if (region === 'sidebar' || region === 'pane') return giveFocus(region);
  const here = route();
  if (here.view === 'conversation') return giveFocus(region, here.conversationId);
  return region === 'messages' && enterMain();
}

/** Views that are no conversation begin with their first control. */
function enterMain(): boolean {
  const first = document.querySelector('main')?.querySelector<HTMLElement>(FOCUSABLE);
  first?.focus();
  return first !== null && first !== undefined;
}
