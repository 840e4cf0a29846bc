/** The conversations of a project in the order of the sidebar: what `Alt+↑/↓` walks through. Pure. */
import type { Snapshot, Thread } from '../../api/model';
import type { Route } from '../../platform/routes';
import { followedThreads, openChannels, unreadOf } from '../../state/selectors';

/** So many threads are shown until the reader asks for all. */
export const THREADS_SHOWN = 10;

export interface SidebarConversation {
  /** The conversation. */
  readonly id: string;
  readonly route: Route;
  readonly isUnread: boolean;
}

export function conversationsInOrder(snapshot: Snapshot): SidebarConversation[] {
  const place = (id: string, route: Route): SidebarConversation => ({
    id,
    route,
    isUnread: unreadOf(snapshot, id).messages > 0,
  });
  return [
    ...openChannels(snapshot).map((channel) => place(channel.id, conversationRoute(snapshot, channel.id))),
    ...threadsUnreadFirst(snapshot)
      .slice(0, THREADS_SHOWN)
      .map((thread) => place(thread.id, threadRoute(thread))),
    ...dmsNewestFirst(snapshot).map((dm) => place(dm.id, conversationRoute(snapshot, dm.id))),
  ];
}

/** The place before or after the open one, around the ends; undefined when there is no other. */
export function stepFrom(
  places: readonly SidebarConversation[],
  openId: string | undefined,
  step: 1 | -1,
  wish: 'all' | 'unread',
): SidebarConversation | undefined {
  const start = places.findIndex((place) => place.id === openId);
  const count = places.length;
  for (let moved = 1; moved <= count; moved += 1) {
    const from = start < 0 && step < 0 ? 0 : start;
    const place = places[(from + step * moved + count * 2) % count];
    if (place && place.id !== openId && (wish === 'all' || place.isUnread)) return place;
  }
  return undefined;
}

/** Which conversation the reader is in: a thread in the pane goes before the channel beside it. */
export function openConversation(route: Route): string | undefined {
  if (route.view !== 'conversation') return undefined;
  return route.pane?.kind === 'thread' ? route.pane.id : route.conversationId;
}

export function threadsUnreadFirst(snapshot: Snapshot): Thread[] {
  const threads = followedThreads(snapshot);
  const isUnread = (thread: Thread) => unreadOf(snapshot, thread.id).messages > 0;
  return [...threads.filter(isUnread), ...threads.filter((thread) => !isUnread(thread))];
}

export function dmsNewestFirst(snapshot: Snapshot): Snapshot['dms'] {
  return [...snapshot.dms].reverse();
}

export function conversationRoute(snapshot: Snapshot, conversationId: string): Route {
  return { view: 'conversation', projectId: snapshot.project.id, conversationId };
}

/** A thread stands in the pane, beside its channel. */
export function threadRoute(thread: Thread): Route {
  const { project_id: projectId, channel_id: conversationId } = thread;
  return { view: 'conversation', projectId, conversationId, pane: { kind: 'thread', id: thread.id } };
}
