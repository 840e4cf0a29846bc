/** Rows of the reader's threads, unread first. */
import { createMemo, createSignal, Show } from 'solid-js';
import type { Snapshot, Thread } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { unreadOf } from '../../state/selectors';
import { threadTitle } from '../thread_title';
import { useRootMessage } from '../use_root_message';
import { openConversation, THREADS_SHOWN, threadRoute, threadsUnreadFirst } from './conversation_order';
import { SidebarRow } from './SidebarRow';
import { SidebarSection } from './SidebarSection';

export function ThreadRows(props: { snapshot: Snapshot }) {
  const [isWhole, setWhole] = createSignal(false);
  const threads = createMemo(() => threadsUnreadFirst(props.snapshot));
  const shown = () => (isWhole() ? threads() : threads().slice(0, THREADS_SHOWN));
  const toggle = (
    <Show when={threads().length > THREADS_SHOWN}>
      <button type="button" class="section-more" aria-expanded={isWhole()} onClick={() => setWhole(!isWhole())}>
        {isWhole() ? 'Show fewer threads' : `Show all threads (${threads().length})`}
      </button>
    </Show>
  );
  return (
    <SidebarSection
      id="threads"
      title="Threads"
      items={shown()}
      stays={(thread) => isThreadOpen(thread) || unreadOf(props.snapshot, thread.id).messages > 0}
      empty={<p class="section-note">Threads that you reply to appear here.</p>}
      foot={toggle}
    >
      {(thread) => <ThreadRow snapshot={props.snapshot} thread={thread} />}
    </SidebarSection>
  );
}

function ThreadRow(props: { snapshot: Snapshot; thread: Thread }) {
  const root = useRootMessage(() => props.thread);
  return (
    <SidebarRow
      to={threadRoute(props.thread)}
      mark={<Icon name="thread" size={16} />}
      name={threadTitle(root())}
      current={isThreadOpen(props.thread) ? 'true' : undefined}
      unread={unreadOf(props.snapshot, props.thread.id)}
    />
  );
}

function isThreadOpen(thread: Thread): boolean {
  return openConversation(route()) === thread.id;
}
