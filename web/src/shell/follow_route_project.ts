/** Follows the route: opens its project, remembers the location and sets the page title. */
import { createEffect, createMemo, on } from 'solid-js';
import { route } from '../platform/router';
import type { Store } from '../state/contract';
import { lastLocation, rememberLocation } from '../state/project/last_location';
import { conversationOf } from '../state/selectors';
import { pageTitle } from './page_title';

export function followProject(store: Store): void {
  const projectId = createMemo(() => {
    const here = route();
    if (here.view === 'conversation' || here.view === 'project') return here.projectId;
    // Search and settings belong to the open or last project. Home chooses by itself.
    return here.view === 'home' ? undefined : (store.snapshot()?.project.id ?? lastProject(store));
  });
  createEffect(
    on(projectId, (id) => {
      // The reason is in `store.failed`.
      if (id) store.commands.openProject(id).catch(() => {});
    }),
  );
  createEffect(() => remember(store));
  createEffect(() => {
    document.title = pageTitle(route(), store.snapshot(), store.questions().items);
  });
}

function lastProject(store: Store): string | undefined {
  const last = lastLocation()?.projectId;
  return (store.projects().find((one) => one.id === last) ?? store.projects()[0])?.id;
}

/** Only valid locations are remembered: a wrong link must not be opened again. */
function remember(store: Store): void {
  const here = route();
  const snapshot = store.snapshot();
  if (here.view !== 'conversation' || snapshot?.project.id !== here.projectId) return;
  if (conversationOf(snapshot, here.conversationId)) rememberLocation(here);
}
