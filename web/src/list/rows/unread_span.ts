/**
 * What the line "New" stands before: what was unread when the reader came, and what comes while nobody looks.
 *
 * What comes while the reader looks is not new to anybody, so no line jumps between the messages of a conversation.
 */
import { type Accessor, createEffect, createMemo, createSignal, on, untrack } from 'solid-js';
import type { MessageList } from '../../state/contract';
import type { UnreadSpan } from './rows';

export function createUnreadSpan(
  messageList: MessageList,
  watching: Accessor<boolean>,
  /** The number of the last message that was seen here; the hub may not know of it yet. */
  seenSeq: () => number,
): Accessor<UnreadSpan | undefined> {
  const [upTo, setUpTo] = createSignal<number>();
  const [seenBefore, setSeenBefore] = createSignal(0);
  untrack(() => messageList.open());

  createEffect(() => {
    if (!messageList.loading() && untrack(upTo) === undefined) setUpTo(untrack(() => lastLoadedSeq(messageList)));
  });
  createEffect(
    on(
      () => messageList.ids().at(-1),
      (_, before) => before !== undefined && !watching() && upTo() !== Number.POSITIVE_INFINITY && leave(),
    ),
  );
  createEffect(
    on(watching, (isThere) => isThere && upTo() === Number.POSITIVE_INFINITY && setUpTo(lastLoadedSeq(messageList)), {
      defer: true,
    }),
  );

  function leave(): void {
    setSeenBefore(seenSeq());
    messageList.open();
    setUpTo(Number.POSITIVE_INFINITY);
  }

  return createMemo(() => {
    const after = messageList.readAtOpening();
    const last = upTo();
    return after === undefined || last === undefined ? undefined : { after: Math.max(after, seenBefore()), upTo: last };
  });
}

function lastLoadedSeq(messageList: MessageList): number {
  if (messageList.newer() !== 'reached') return Number.POSITIVE_INFINITY;
  const last = messageList.ids().findLast((id) => messageList.message(id));
  return (last && messageList.message(last)?.seq) || 0;
}
