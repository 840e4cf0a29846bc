/** Browser notifications about new questions, if the reader enabled them. */
import { createEffect, on } from 'solid-js';
import type { OpenQuestion } from '../../api/model';
import { notifications } from '../../platform/notifications';
import { go, route } from '../../platform/router';
import type { Route } from '../../platform/routes';
import type { Store } from '../../state/contract';

/** The hub redacts the text for lock screens. After this time the notification is shown without it. */
const PREVIEW_MS_MAX = 3_000;

/** Questions that were open when the page was loaded are not reported. */
export function notifyAboutQuestions(store: Store): void {
  let known: ReadonlySet<string> | undefined;
  createEffect(
    on(store.questions, ({ state, items }) => {
      if (state !== 'ready') return;
      const before = known;
      known = new Set([...(before ?? []), ...items.map((one) => one.message.id)]);
      if (!before || !store.preferences().notify) return;
      for (const one of items) if (!before.has(one.message.id)) void notifyAbout(store, one);
    }),
  );
}

async function notifyAbout(store: Store, one: OpenQuestion): Promise<void> {
  const { message } = one;
  if (document.visibilityState === 'visible' && document.hasFocus() && isOnScreen(route(), message.to)) return;
  const place = one.channel_name ? `#${one.channel_name}` : 'a direct message';
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

/** The redacted text of a message. The text of the page is never shown outside of it. */
async function previewOf(store: Store, id: string): Promise<string | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PREVIEW_MS_MAX);
  });
  const line = store.commands.loadPreview(id).catch(() => undefined);
  return Promise.race([line, tooLate]).finally(() => clearTimeout(timer));
}

/** Whether the question is on the screen: in its conversation, its thread or "Needs you". */
export function isOnScreen(here: Route, conversationId: string): boolean {
  if (here.view === 'needs-you') return true;
  if (here.view !== 'conversation') return false;
  return here.conversationId === conversationId || (here.pane?.kind === 'thread' && here.pane.id === conversationId);
}
