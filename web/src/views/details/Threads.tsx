/** Threads of a channel, newest first. */
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { Snapshot, Thread } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { hrefOf } from '../../platform/routes';
import { threadRoute } from '../../shell/sidebar/conversation_order';
import { threadTitle } from '../../shell/thread_title';
import { useRootMessage } from '../../shell/use_root_message';
import { isEmptyThread, replyCount, unreadOf } from '../../state/selectors';

/** Threads shown at first; each title may need a request. */
const THREADS_STEP = 20;

function threadsOf(snapshot: Snapshot, channelId: string): Thread[] {
  const isShown = (thread: Thread) => thread.channel_id === channelId && !isEmptyThread(snapshot, thread.id);
  return snapshot.threads.filter(isShown).reverse();
}

export function Threads(props: { snapshot: Snapshot; channelId: string }) {
  const threads = createMemo(() => threadsOf(props.snapshot, props.channelId));
  const [count, setCount] = createSignal(THREADS_STEP);
  return (
    <Show
      when={threads().length > 0}
      fallback={<EmptyState icon="thread">No threads yet. Reply to a message in a thread to start one.</EmptyState>}
    >
      <ul class="details-list" aria-label="Threads">
        <For each={threads().slice(0, count())}>
          {(thread) => <ThreadLine snapshot={props.snapshot} thread={thread} />}
        </For>
      </ul>
      <Show when={threads().length > count()}>
        <button type="button" class="button" data-kind="quiet" onClick={() => setCount((now) => now + THREADS_STEP)}>
          Show more threads
        </button>
      </Show>
    </Show>
  );
}

function ThreadLine(props: { snapshot: Snapshot; thread: Thread }) {
  const root = useRootMessage(() => props.thread);
  const about = () => {
    const replies = replyCount(props.snapshot, props.thread.id) ?? 0;
    const unread = unreadOf(props.snapshot, props.thread.id).messages;
    const words = replies === 1 ? '1 reply' : `${replies} replies`;
    return unread > 0 ? `${words} · ${unread} unread` : words;
  };
  return (
    <li class="details-row">
      <a class="details-link" data-lines="two" href={hrefOf(threadRoute(props.thread))}>
        <span class="details-name">{threadTitle(root())}</span>
        <span class="row-detail">
          <Show when={root()}>{(message) => <>{message().from.name} · </>}</Show>
          {about()}
        </span>
      </a>
    </li>
  );
}
