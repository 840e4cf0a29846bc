/** Tells of new questions outside of the page, if the reader wants it and the browser allows it. */
import { createEffect, on } from 'solid-js';
import type { OpenQuestion } from '../api/model';
import { notifications } from '../platform/notifications';
import { go, route } from '../platform/router';
import type { Route } from '../platform/routes';
import type { Store } from '../state/contract';
import { plainText } from '../text/plain_text';

const BODY_CHARS_MAX = 160;

/** Follows the questions until the owner is gone. What was open when the page came is no news. */
export function notifyOfQuestions(store: Store): void {
  let known: ReadonlySet<string> | undefined;
  createEffect(
    on(store.questions, ({ state, items }) => {
      if (state !== 'ready') return;
      const before = known;
      known = new Set([...(before ?? []), ...items.map((one) => one.message.id)]);
      if (!before || !store.preferences().notify) return;
      for (const one of items) if (!before.has(one.message.id)) tell(one);
    }),
  );
}

function tell(one: OpenQuestion): void {
  const { message } = one;
  if (document.visibilityState === 'visible' && document.hasFocus() && isInSight(route(), message.to)) return;
  const place = one.channel_name ? `#${one.channel_name}` : 'a dm';
  notifications.show({
    title: `${message.from.name} asks you in ${place}`,
    body: plainText(message.body, BODY_CHARS_MAX),
    // One for all tabs.
    tag: message.id,
    onClick: () =>
      go({ view: 'conversation', projectId: message.project_id, conversationId: message.to, messageId: message.id }),
  });
}

/** Whether the reader has it before them: its conversation, its thread, or the board. */
export function isInSight(here: Route, conversationId: string): boolean {
  if (here.view === 'needs-you') return true;
  if (here.view !== 'conversation') return false;
  return here.conversationId === conversationId || (here.pane?.kind === 'thread' && here.pane.id === conversationId);
}
