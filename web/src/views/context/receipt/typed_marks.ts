/** Finds marks that were typed by authors, from the original messages, which are loaded only in doubt. */
import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js';
import type { Receipt, ReceiptItem } from '../../../api/context_model';
import type { Commands } from '../../../state/contract';
import { hasTypedMarks, marksIn } from './redaction_marks';

/** Messages loaded for one receipt at most. */
const READ_MAX = 20;

export interface TypedMarks {
  /** A signal: typed marks of one message. */
  of(itemId: string): ReadonlySet<string> | undefined;
  /** A signal: typed marks of all messages. */
  all(): ReadonlySet<string>;
}

export function createTypedMarks(
  receipt: Accessor<Receipt>,
  kinds: Accessor<ReadonlySet<string> | undefined>,
  { findMessage }: Pick<Commands, 'findMessage'>,
): TypedMarks {
  const [found, setFound] = createSignal<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  createEffect(() => {
    const doubtful = receipt()
      .items.filter((item) => isDoubtful(item, kinds()))
      .slice(0, READ_MAX);
    let isOver = false;
    onCleanup(() => {
      isOver = true;
    });
    setFound(new Map());
    for (const { id } of doubtful) {
      void findMessage(id).then(
        (message) => {
          if (message && !isOver) setFound((old) => new Map(old).set(id, new Set(marksIn(message.body))));
        },
        () => {},
      );
    }
  });
  return { of: (id) => found().get(id), all: () => new Set([...found().values()].flatMap((marks) => [...marks])) };
}

function isDoubtful(item: ReceiptItem, kinds: ReadonlySet<string> | undefined): boolean {
  const made = item.redactions ?? 0;
  return item.type === 'message' && made > 0 && hasTypedMarks(item.text ?? '', made, kinds);
}
