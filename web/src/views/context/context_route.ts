/** Leads to what an agent would see: beside what is open, or beside the page of the agent. Pure. */
import { withPane } from '../../platform/router';
import type { Route } from '../../platform/routes';

/** Stands between the two ids. No id has one. */
const BETWEEN = ',';

/** Whose context it is, and in which thread it would answer: a thread stands in a pane, where the context takes its place. */
export interface ContextAim {
  readonly agentId: string;
  readonly threadId?: string | undefined;
}

export function contextRoute(here: Route, { agentId, threadId }: ContextAim): Route {
  const pane = { kind: 'context', id: [agentId, threadId].filter(Boolean).join(BETWEEN) } as const;
  return withPane(here, pane) ?? { view: 'agent', id: agentId, pane };
}

/** Reads the id of a pane. */
export function contextAim(paneId: string): ContextAim {
  const [agentId = '', threadId] = paneId.split(BETWEEN, 2);
  return threadId ? { agentId, threadId } : { agentId };
}
