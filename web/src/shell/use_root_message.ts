/** The message that a thread hangs below, from what is loaded or from the hub. */
import { createMemo, createResource } from 'solid-js';
import type { Message, Thread } from '../api/model';
import { useStore } from '../state/store_context';

/** Undefined until it is there; when the hub was away, it is asked again once the page is connected. */
export function useRootMessage(thread: () => Thread): () => Message | undefined {
  const store = useStore();
  const isLive = createMemo(() => store.connection().state === 'live');
  const [root] = createResource<Message | undefined, { id: string; isLive: boolean }>(
    () => ({ id: thread().root_message_id, isLive: isLive() }),
    ({ id }, { value }) => (value?.id === id ? value : store.commands.findMessage(id).catch(() => undefined)),
  );
  return () => root.latest;
}
