/** Messages that a view refers to: loaded on first read, dropped with the view. */
import { onCleanup, untrack } from 'solid-js';
import type { Message } from '../api/model';
import { RecordCache } from '../state/record_cache';
import { useStore } from '../state/store_context';

/** Returns a message once it is loaded, if the reader may read it. */
export type MessageLookup = (id: string | null | undefined) => Message | undefined;

export function useMessages(): MessageLookup {
  const store = useStore();
  const cache = new RecordCache<Message>((id) => untrack(() => store.commands.findMessage(id)));
  onCleanup(() => cache.clear());
  return (id) => (id ? cache.get(id) : undefined);
}
