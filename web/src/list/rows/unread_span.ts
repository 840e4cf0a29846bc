/**
 * The range after the "New" line: messages that were unread when the conversation was opened, and those that arrive
 * while nobody is looking.
 *
 * Messages that arrive while the reader looks are not new, so the line does not jump.
 */
import { type Accessor, createEffect, createMemo, createSignal, on, untrack } from 'solid-js';
import type { MessageList } from '../../state/contract';
import type { UnreadSpan } from './rows';

export function createUnreadSpan(
  messageList: MessageList,
  watching: Accessor<boolean>,
  /** Number of the last message seen here; the hub may not have it yet. */
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
