/** Leads to what an agent would see: beside what is open, or beside the page of the agent. */
import { withPane } from '../../platform/router';
import type { Route } from '../../platform/routes';

export function contextRoute(here: Route, agentId: string): Route {
  const pane = { kind: 'context', id: agentId } as const;
  return withPane(here, pane) ?? { view: 'agent', id: agentId, pane };
}
