/** Titles of the reader's threads. Their first messages may not be loaded, so the hub is asked. */
import { type Accessor, createResource } from 'solid-js';
import type { Snapshot } from '../api/model';
import { threadTitle } from '../shell/thread_title';
import type { Store } from '../state/contract';
import { followedThreads } from '../state/selectors';

const THREADS_MAX = 20;
const NONE: ReadonlyMap<string, string> = new Map();

export function useThreadTitles(store: Store): Accessor<ReadonlyMap<string, string>> {
  const [titles] = createResource(store.snapshot()?.project.id, () => load(store, store.snapshot()));
  return () => (titles.state === 'ready' ? titles() : NONE);
}

async function load(store: Store, snapshot: Snapshot | undefined): Promise<ReadonlyMap<string, string>> {
  if (!snapshot) return NONE;
  const threads = followedThreads(snapshot).slice(0, THREADS_MAX);
  const named = threads.map(async (thread): Promise<readonly [string, string]> => {
    const root = await store.commands.findMessage(thread.root_message_id).catch(() => undefined);
    return [thread.id, threadTitle(root)];
  });
  return new Map(await Promise.all(named));
}
