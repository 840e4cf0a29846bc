/**
 * What the line "New" stands before: what was unread when the reader came, and what comes while nobody looks.
 *
 * What comes while the reader looks is not new to anybody, so no line jumps between the messages of a conversation.
 */
import { type Accessor, createEffect, createMemo, createSignal, on, untrack } from 'solid-js';
import type { Timeline } from '../../state/contract';
import type { UnreadSpan } from './rows';

export function createUnreadSpan(
  timeline: Timeline,
  watching: Accessor<boolean>,
  /** The number of the last message that was seen here; the hub may not know of it yet. */
  seenSeq: () => number,
): Accessor<UnreadSpan | undefined> {
  const [upTo, setUpTo] = createSignal<number>();
  const [seenBefore, setSeenBefore] = createSignal(0);
  untrack(() => timeline.open());

  createEffect(() => {
    if (!timeline.loading() && untrack(upTo) === undefined) setUpTo(untrack(() => lastLoadedSeq(timeline)));
  });
  createEffect(
    on(
      () => timeline.ids().at(-1),
      (_, before) => before !== undefined && !watching() && upTo() !== Number.POSITIVE_INFINITY && leave(),
    ),
  );
  createEffect(
    on(watching, (isThere) => isThere && upTo() === Number.POSITIVE_INFINITY && setUpTo(lastLoadedSeq(timeline)), {
      defer: true,
    }),
  );

  function leave(): void {
    setSeenBefore(seenSeq());
    timeline.open();
    setUpTo(Number.POSITIVE_INFINITY);
  }

  return createMemo(() => {
    const after = timeline.readAtOpening();
    const last = upTo();
    return after === undefined || last === undefined ? undefined : { after: Math.max(after, seenBefore()), upTo: last };
  });
}

function lastLoadedSeq(timeline: Timeline): number {
  if (timeline.newer() !== 'reached') return Number.POSITIVE_INFINITY;
  const last = timeline.ids().findLast((id) => timeline.message(id));
  return (last && timeline.message(last)?.seq) || 0;
}
