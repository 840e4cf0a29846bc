/** The first message of a thread, from the loaded messages or from the hub. */
import { createMemo, createResource } from 'solid-js';
import type { Message, Thread } from '../api/model';
import { useStore } from '../state/store_context';

/** Undefined until it is loaded; requested again when the page reconnects. */
export function useRootMessage(thread: () => Thread): () => Message | undefined {
  const store = useStore();
  const isLive = createMemo(() => store.connection().state === 'live');
  const [root] = createResource<Message | undefined, { id: string; isLive: boolean }>(
    () => ({ id: thread().root_message_id, isLive: isLive() }),
    ({ id }, { value }) => (value?.id === id ? value : store.commands.findMessage(id).catch(() => undefined)),
  );
  return () => root.latest;
}
