/** Says the end of each answer in the open conversation, for those who cannot see it. */
import { createEffect, on } from 'solid-js';
import { announce } from '../../platform/announce';
import type { Store, Timeline } from '../../state/contract';
import { endingWords } from './status_text';

export function tellAnswers(store: Store, timeline: Timeline): void {
  createEffect(
    on(
      () => store.answering(timeline.conversationId),
      (now, before = []) => {
        for (const { messageId, name } of before) {
          if (now.some((answer) => answer.messageId === messageId)) continue;
          announce(endingWords(name, timeline.message(messageId)?.state));
        }
      },
    ),
  );
}
