/** What the tab of the browser says: unread things first, then the conversation and its project. Pure. */
import type { Snapshot } from '../api/model';
import type { Route } from '../platform/routes';
import { titleOf } from '../state/select';

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

export function pageTitle(route: Route, snapshot: Snapshot | undefined): string {
  const place = placeName(route, snapshot);
  const parts = [place, snapshot?.project.name, 'Parlour'].filter((part) => part !== undefined);
  const marks = snapshot ? unreadMark(snapshot) : '';
  return marks + parts.join(' · ');
}

/** `(2) ` for mentions, a dot for what is only unread. */
function unreadMark(snapshot: Snapshot): string {
  const mentions = snapshot.reading.reduce((sum, one) => sum + one.mentions.length, 0);
  if (mentions > 0) return `(${mentions}) `;
  return snapshot.reading.some((one) => one.unread > 0) ? '• ' : '';
}

function placeName(route: Route, snapshot: Snapshot | undefined): string | undefined {
  if (route.view !== 'conversation') return NAMES[route.view];
  return snapshot?.project.id === route.projectId ? titleOf(snapshot, route.conversationId) : undefined;
}
