/** The rows as a signal, with how they changed. */
import { type Accessor, createMemo, untrack } from 'solid-js';
import type { MessageList } from '../../state/contract';
import { createRowFacts, isShifted, overlaps, type Rows, rowsOf, type UnreadSpan } from './rows';

export interface RowChanges extends Rows {
  /**
   * Rows were only added or removed at the start. Part of the same value as the rows, so that the list keeps its
   * position in one step.
   */
  readonly isShifted: boolean;
  /** Changes with every newly loaded range: measured heights of the old one are invalid. */
  readonly generation: number;
}

const NO_ROWS: RowChanges = { keys: [], continued: new Set(), isShifted: false, generation: 1 };

export function createRowChanges(
  messageList: MessageList,
  reader: () => string | undefined,
  unread: Accessor<UnreadSpan | undefined>,
): Accessor<RowChanges> {
  const factsOf = createRowFacts(messageList, reader);
  /** The first message of each loaded range. */
  const headed = new Set<string>();
  return createMemo<RowChanges>((before) => {
    const ids = messageList.ids();
    const span = unread();
    // The facts of a row never change: an edited or growing message must not rebuild all rows.
    const rows = untrack(() => rowsOf(ids, factsOf, span, headed));
    if (ids[0] !== undefined) headed.add(ids[0]);
    const generation = overlaps(before.keys, rows.keys) ? before.generation : before.generation + 1;
    return { ...rows, isShifted: isShifted(before.keys, rows.keys), generation };
  }, NO_ROWS);
}

/** Returns the ids that were added at the end. */
export function arrivalsOf(before: readonly string[], after: readonly string[]): readonly string[] {
  const last = before.at(-1);
  if (last === undefined || last === after.at(-1)) return [];
  const index = after.lastIndexOf(last);
  return index < 0 ? [] : after.slice(index + 1);
}
