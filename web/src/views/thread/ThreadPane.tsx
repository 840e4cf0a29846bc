/** The thread pane: first message, replies, composer. */
import { createEffect, createMemo, createSignal, on, Show, untrack } from 'solid-js';
import type { Message, Thread } from '../../api/model';
import { LazyComposer } from '../../compose/LazyComposer';
import { MessageListView } from '../../list/MessageListView';
import { MessageRow } from '../../message/MessageRow';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { PaneHead } from '../../shell/pane/PaneHead';
import { conversationOf, readersOf, whyReadOnly } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { contextRoute } from '../context/context_route';
import { focusNewPane } from '../context/request/focus_new_pane';
import { announceAnswers } from '../conversation/announce_answers';
import { createLinkTarget } from '../conversation/link_target';
import { StatusLine } from '../conversation/StatusLine';
import { withMessage } from '../conversation/with_message';
import './ThreadPane.css';

export function ThreadPane(props: { threadId: string; onClose(): void }) {
  return (
    <Show when={props.threadId} keyed>
      {(id) => <OneThread id={id} onClose={props.onClose} />}
    </Show>
  );
}

function OneThread(props: { id: string; onClose(): void }) {
  const store = useStore();
  const id = untrack(() => props.id);
  const messageList = store.messageList(id);
  const target = createLinkTarget(id);
  const thread = createMemo(() => {
    const snapshot = store.snapshot();
    const found = snapshot && conversationOf(snapshot, id);
    return found?.type === 'thread' ? found : undefined;
  });
  const readOnly = () => {
    const snapshot = store.snapshot();
    return snapshot && whyReadOnly(snapshot, id);
  };
  /** The agent that wrote last, or one that can read the thread. */
  const agentHere = createMemo(() => {
    const snapshot = store.snapshot();
    if (!snapshot) return undefined;
    const agents = snapshot.agents.map((agent) => agent.id);
    const authors = messageList.ids().map((one) => messageList.message(one)?.from.id ?? '');
    return (
      authors.findLast((one) => agents.includes(one)) ?? readersOf(snapshot, id).find((one) => agents.includes(one))
    );
  });
  announceAnswers(store, messageList);
  return (
    <section class="thread" aria-label="Thread">
      <PaneHead onClose={() => props.onClose()}>
        <h2>Thread</h2>
        <Show when={thread()?.channel}>
          {(channel) => (
            <a class="thread-channel" href={hrefToChannel(channel().id)}>
              #{channel().name}
            </a>
          )}
        </Show>
        <Show when={agentHere()}>
          {(agentId) => (
            <a
              class="icon-button thread-context"
              href={hrefOf(contextRoute(route(), { agentId: agentId(), locationId: id }))}
              aria-label="Context preview"
              title="Context preview"
              onClick={focusNewPane}
            >
              <Icon name="spark" />
            </a>
          )}
        </Show>
      </PaneHead>
      <MessageListView
        messageList={messageList}
        label="Replies"
        targetId={target()}
        scope="thread"
        beginning={() => (
          <>
            <Show when={thread()}>{(here) => <RootMessage thread={here().thread} />}</Show>
            <ReplyLine count={messageList.ids().length} />
          </>
        )}
      />
      <StatusLine conversationId={id} />
      <LazyComposer conversationId={id} label="the thread" readOnly={readOnly()} />
    </section>
  );
}

/** The first message of the thread, as in the channel. */
function RootMessage(props: { thread: Thread }) {
  const store = useStore();
  const channel = untrack(() => store.messageList(props.thread.channel_id));
  const [found, setFound] = createSignal<Message>();
  const [isMissing, setMissing] = createSignal(false);
  const rootId = createMemo(() => props.thread.root_message_id);
  createEffect(
    on(rootId, async (id) => {
      if (channel.message(id)) return;
      const message = await store.commands.findMessage(id).catch(() => undefined);
      setFound(message);
      setMissing(message === undefined);
    }),
  );
  return (
    <Show when={!isMissing()} fallback={<p class="hint">The first message of this thread no longer exists.</p>}>
      <MessageRow messageList={withMessage(channel, found)} id={rootId()} isContinued={false} scope="thread" />
    </Show>
  );
}

function ReplyLine(props: { count: number }) {
  return (
    <p class="reply-line">
      <span>{replyText(props.count)}</span>
    </p>
  );
}

export function replyText(count: number): string {
  if (count === 0) return 'No replies yet';
  return count === 1 ? '1 reply' : `${count} replies`;
}

function hrefToChannel(conversationId: string): string {
  const here = route();
  return here.view === 'conversation'
    ? hrefOf({ view: 'conversation', projectId: here.projectId, conversationId })
    : hrefOf({ view: 'home' });
}
