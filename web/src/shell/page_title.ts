/** The title of the browser tab: unread count, conversation and project. Pure. */
import type { OpenQuestion, Snapshot } from '../api/model';
import type { Route } from '../platform/routes';
import { questionsBesides, titleOf } from '../state/selectors';

const NAMES = {
  home: undefined,
  project: undefined,
  search: 'Search',
  settings: 'Settings',
  'needs-you': 'Needs you',
  inbox: 'Inbox',
  runs: 'Runs',
  agent: 'Agent',
} as const;

export function pageTitle(
  route: Route,
  snapshot: Snapshot | undefined,
  questions: readonly OpenQuestion[] = [],
): string {
  const place = placeName(route, snapshot);
  const parts = [place, snapshot?.project.name, 'Parlour'].filter((part) => part !== undefined);
  return unreadMark(snapshot, questions) + parts.join(' · ');
}

/** Returns `(2) ` for mentions and open questions, each message once; a dot for other unread messages. */
function unreadMark(snapshot: Snapshot | undefined, questions: readonly OpenQuestion[]): string {
  const reading = snapshot?.reading ?? [];
  const mentions = reading.reduce((sum, one) => sum + one.mentions.length, 0);
  const count = mentions + questionsBesides(snapshot, questions);
  if (count > 0) return `(${count}) `;
  return reading.some((one) => one.unread > 0) ? '• ' : '';
}

function placeName(route: Route, snapshot: Snapshot | undefined): string | undefined {
  if (route.view !== 'conversation') return NAMES[route.view];
  return snapshot?.project.id === route.projectId ? titleOf(snapshot, route.conversationId) : undefined;
}
