/** The conversations of a project in the order of the sidebar, for `Alt+↑/↓`. Pure. */
import type { Snapshot, Thread } from '../../api/model';
import type { Route } from '../../platform/routes';
import { followedThreads, openChannels, unreadOf } from '../../state/selectors';

/** Threads shown until the reader asks for all. */
export const THREADS_SHOWN = 10;

export interface SidebarConversation {
  readonly id: string;
  readonly route: Route;
  readonly isUnread: boolean;
}

export function conversationsInOrder(snapshot: Snapshot): SidebarConversation[] {
  const entry = (id: string, route: Route): SidebarConversation => ({
    id,
    route,
    isUnread: unreadOf(snapshot, id).messages > 0,
  });
  return [
    ...openChannels(snapshot).map((channel) => entry(channel.id, conversationRoute(snapshot, channel.id))),
    ...threadsUnreadFirst(snapshot)
      .slice(0, THREADS_SHOWN)
      .map((thread) => entry(thread.id, threadRoute(thread))),
    ...dmsNewestFirst(snapshot).map((dm) => entry(dm.id, conversationRoute(snapshot, dm.id))),
  ];
}

/** Returns the entry before or after the open one, wrapping around; undefined when there is no other. */
export function stepFrom(
  entries: readonly SidebarConversation[],
  openId: string | undefined,
  step: 1 | -1,
  request: 'all' | 'unread',
): SidebarConversation | undefined {
  const start = entries.findIndex((entry) => entry.id === openId);
  const count = entries.length;
  for (let moved = 1; moved <= count; moved += 1) {
    const from = start < 0 && step < 0 ? 0 : start;
    const entry = entries[(from + step * moved + count * 2) % count];
    if (entry && entry.id !== openId && (request === 'all' || entry.isUnread)) return entry;
  }
  return undefined;
}

/** Returns the open conversation: a thread in the pane before the channel beside it. */
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

/** A thread opens in the pane, beside its channel. */
export function threadRoute(thread: Thread): Route {
  const { project_id: projectId, channel_id: conversationId } = thread;
  return { view: 'conversation', projectId, conversationId, pane: { kind: 'thread', id: thread.id } };
}
