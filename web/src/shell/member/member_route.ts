/** Where a member is shown: in the pane beside what is open, or beside where the reader was last. Pure but for that. */
import type { Snapshot } from '../../api/model';
import type { Route } from '../../platform/routes';
import { lastLocation } from '../../state/project/last_location';
import { conversationOf, openChannels } from '../../state/selectors';

export function memberRoute(here: Route, snapshot: Snapshot, memberId: string): Route {
  const pane = { kind: 'member', id: memberId } as const;
  if (here.view === 'conversation') return { ...here, pane };
  const conversationId = startOf(snapshot);
  if (!conversationId) return { view: 'project', projectId: snapshot.project.id };
  return { view: 'conversation', projectId: snapshot.project.id, conversationId, pane };
}

/** The conversation to begin with: the last one if it is still there, otherwise the first channel or dm. */
export function startOf(snapshot: Snapshot): string | undefined {
  const last = lastLocation(snapshot.project.id)?.conversationId;
  if (last && conversationOf(snapshot, last)) return last;
  return openChannels(snapshot)[0]?.id ?? snapshot.dms[0]?.id;
}
