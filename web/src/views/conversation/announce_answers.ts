/** Announces the end of each answer to screen readers. */
import { createEffect, on } from 'solid-js';
import { announce } from '../../platform/announce';
import type { MessageList, Store } from '../../state/contract';
import { endingText } from './status_text';

export function announceAnswers(store: Store, messageList: MessageList): void {
  createEffect(
    on(
      () => store.answering(messageList.conversationId),
      (now, before = []) => {
        for (const { messageId, name } of before) {
          if (now.some((answer) => answer.messageId === messageId)) continue;
          announce(endingText(name, messageList.message(messageId)?.state));
        }
      },
    ),
  );
}
