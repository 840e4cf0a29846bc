/** Number of replies and of new replies; opens the thread. */
import { Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { setPane } from '../../platform/router';
import { replyCount, unreadOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';

export function ThreadLink(props: { threadId: string }) {
  const store = useStore();
  const snapshot = () => store.snapshot();
  /** The snapshot contains the count. */
  const replies = () => {
    const now = snapshot();
    return now && replyCount(now, props.threadId);
  };
  const unread = () => {
    const now = snapshot();
    return now ? unreadOf(now, props.threadId).messages : 0;
  };
  return (
    // A thread that was opened and left without a reply is not shown.
    <Show when={replies() !== 0}>
      <button type="button" class="thread-link" onClick={() => setPane({ kind: 'thread', id: props.threadId })}>
        <Icon name="thread" size={14} />
        {repliesText(replies())}
        <Show when={unread() > 0}>
          <span class="thread-new">{unread()} new</span>
        </Show>
      </button>
    </Show>
  );
}

/** The count of old threads is not in the snapshot. */
export function repliesText(count: number | undefined): string {
  if (count === undefined) return 'Open the thread';
  return count === 1 ? '1 reply' : `${count} replies`;
}
