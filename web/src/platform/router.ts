/** The route of the address bar as a signal. */
import { createSignal } from 'solid-js';
import { hrefOf, type Pane, parseRoute, type Route } from './routes';

const [route, setRoute] = createSignal<Route>(parseRoute(location.hash));
addEventListener('hashchange', () => setRoute(parseRoute(location.hash)));

export { route };

/** Goes somewhere; `replace` leaves no entry in the history of the browser. */
export function go(to: Route, { replace = false } = {}): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  setRoute(to);
}

/** Opens or closes the pane beside the conversation that is open. */
export function setPane(pane: Pane | undefined): void {
  const here = route();
  if (here.view !== 'conversation') return;
  const { pane: _, ...rest } = here;
  go(pane ? { ...rest, pane } : rest);
}
