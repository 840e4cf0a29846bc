/** The rows as a signal, with how they came out of the ones before. */
import { type Accessor, createMemo, untrack } from 'solid-js';
import type { MessageList } from '../../state/contract';
import { createRowFacts, isShifted, overlaps, type Rows, rowsOf, type UnreadSpan } from './rows';

export interface RowChanges extends Rows {
  /** Only rows at the start came or went. It is told together with the rows, so the list keeps its place in one step. */
  readonly isShifted: boolean;
  /** Another number, another stretch of the conversation: nothing of what was measured counts any more. */
  readonly generation: number;
}

const NOTHING: RowChanges = { keys: [], continued: new Set(), isShifted: false, generation: 1 };

export function createRowChanges(
  messageList: MessageList,
  reader: () => string | undefined,
  unread: Accessor<UnreadSpan | undefined>,
): Accessor<RowChanges> {
  const factsOf = createRowFacts(messageList, reader);
  /** The first message of each stretch that was loaded: one for a page. */
  const headed = new Set<string>();
  return createMemo<RowChanges>((before) => {
    const ids = messageList.ids();
    const span = unread();
    // What a row needs of a message never changes, so one that is edited or grows must not make all rows anew.
    const rows = untrack(() => rowsOf(ids, factsOf, span, headed));
    if (ids[0] !== undefined) headed.add(ids[0]);
    const generation = overlaps(before.keys, rows.keys) ? before.generation : before.generation + 1;
    return { ...rows, isShifted: isShifted(before.keys, rows.keys), generation };
  }, NOTHING);
}

/** Which ids came at the end, after the last one that was there before. */
export function arrivalsOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const last = before.at(-1);
  if (last === undefined || last === after.at(-1)) return [];
  const index = after.lastIndexOf(last);
  return index < 0 ? [] : after.slice(index + 1);
}
