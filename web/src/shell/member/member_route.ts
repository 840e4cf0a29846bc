/** Returns the route of a member's pane: beside the current view, or beside the last conversation. */
import type { Snapshot } from '../../api/model';
import type { Route } from '../../platform/routes';
import { lastLocation } from '../../state/project/last_location';
import { conversationOf, openChannels } from '../../state/selectors';

export function memberRoute(here: Route, snapshot: Snapshot, memberId: string): Route {
  const pane = { kind: 'member', id: memberId } as const;
  if (here.view === 'conversation') return { ...here, pane };
  const conversationId = firstConversationOf(snapshot);
  if (!conversationId) return { view: 'project', projectId: snapshot.project.id };
  return { view: 'conversation', projectId: snapshot.project.id, conversationId, pane };
}

/** Returns the conversation to start with: the last one if it exists, otherwise the first channel or DM. */
export function firstConversationOf(snapshot: Snapshot): string | undefined {
  const last = lastLocation(snapshot.project.id)?.conversationId;
  if (last && conversationOf(snapshot, last)) return last;
  return openChannels(snapshot)[0]?.id ?? snapshot.dms[0]?.id;
}
