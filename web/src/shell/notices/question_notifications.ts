/** Tells of new questions outside of the page, if the reader wants it and the browser allows it. */
import { createEffect, on } from 'solid-js';
import type { OpenQuestion } from '../../api/model';
import { notifications } from '../../platform/notifications';
import { go, route } from '../../platform/router';
import type { Route } from '../../platform/routes';
import type { Store } from '../../state/contract';

/** The hub takes secrets out of what stands on a lock screen. What it has not told by then is not waited for. */
const PREVIEW_MS_MAX = 3_000;

/** Follows the questions until the owner is gone. What was open when the page came is no news. */
export function notifyAboutQuestions(store: Store): void {
  let known: ReadonlySet<string> | undefined;
  createEffect(
    on(store.questions, ({ state, items }) => {
      if (state !== 'ready') return;
      const before = known;
      known = new Set([...(before ?? []), ...items.map((one) => one.message.id)]);
      if (!before || !store.preferences().notify) return;
      for (const one of items) if (!before.has(one.message.id)) void tell(store, one);
    }),
  );
}

async function tell(store: Store, one: OpenQuestion): Promise<void> {
  const { message } = one;
  if (document.visibilityState === 'visible' && document.hasFocus() && isInSight(route(), message.to)) return;
  const place = one.channel_name ? `#${one.channel_name}` : 'a dm';
  const line = await previewOf(store, message.id);
  notifications.show({
    title: line === undefined ? `New message from ${message.from.name}` : `${message.from.name} asks you in ${place}`,
    body: line ?? '',
    // One for all tabs.
    tag: message.id,
    onClick: () =>
      go({ view: 'conversation', projectId: message.project_id, conversationId: message.to, messageId: message.id }),
  });
}

/** The message as one line without its secrets. The text that the page has is never shown outside of it. */
async function previewOf(store: Store, id: string): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PREVIEW_MS_MAX);
  });
  const line = store.commands.loadPreview(id).catch(() => undefined);
  return Promise.race([line, tooLate]).finally(() => clearTimeout(timer));
}

/** Whether the reader has it before them: its conversation, its thread, or the board. */
export function isInSight(here: Route, conversationId: string): boolean {
  if (here.view === 'needs-you') return true;
  if (here.view !== 'conversation') return false;
  return here.conversationId === conversationId || (here.pane?.kind === 'thread' && here.pane.id === conversationId);
}
