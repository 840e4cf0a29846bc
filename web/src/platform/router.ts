/** The route of the address bar as a signal. */
import { createSignal } from 'solid-js';
import { hrefOf, type Pane, parseRoute, type Route } from './routes';

const [route, setRoute] = createSignal<Route>(parseRoute(location.hash));
addEventListener('hashchange', () => setRoute(parseRoute(location.hash)));

export { route };

/** Navigates; `replace` adds no entry to the browser history. */
export function go(to: Route, { replace = false } = {}): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  setRoute(to);
}

export function paneOf(here: Route): Pane | undefined {
  return hasPane(here) ? here.pane : undefined;
}

/** Opens or closes the pane, where the view has one. */
export function setPane(pane: Pane | undefined): void {
  const here = withPane(route(), pane);
  if (here) go(here);
}

/** Returns the route with this pane; undefined for views without a pane. */
export function withPane(here: Route, pane: Pane | undefined): Route | undefined {
  if (!hasPane(here)) return undefined;
  const { pane: _, ...rest } = here;
  return pane ? { ...rest, pane } : rest;
}

type ViewWithoutPane = 'home' | 'project' | 'search' | 'settings';

function hasPane(here: Route): here is Exclude<Route, { view: ViewWithoutPane }> {
  return here.view !== 'home' && here.view !== 'project' && here.view !== 'search' && here.view !== 'settings';
}

/** Returns whether the middle of the page shows the conversation. */
export function isConversationOpen(conversationId: string): boolean {
  const here = route();
  return here.view === 'conversation' && here.conversationId === conversationId;
}
