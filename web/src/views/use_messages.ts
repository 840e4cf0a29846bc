/** Messages that a view speaks of, read when they are first looked at, and forgotten with the view. */
import { onCleanup, untrack } from 'solid-js';
import type { Message } from '../api/model';
import { RecordCache } from '../state/record_cache';
import { useStore } from '../state/store_context';

/** A signal for each id: the message, once it is known and if the reader may read it. */
export function useMessages(): (id: string | null | undefined) => Message | undefined {
  const store = useStore();
  const shelf = new RecordCache<Message>((id) => untrack(() => store.commands.findMessage(id)));
  onCleanup(() => shelf.clear());
  return (id) => (id ? shelf.get(id) : undefined);
}
