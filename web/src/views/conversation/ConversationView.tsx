/** A conversation: bar, messages, status line, composer. */
import { createEffect, createMemo, Match, onCleanup, Show, Switch, untrack } from 'solid-js';
import { LazyComposer } from '../../compose/LazyComposer';
import { MessageListView } from '../../list/MessageListView';
import { Skeleton } from '../../parts/loading/Skeleton';
import { go, route } from '../../platform/router';
import { onShortcut } from '../../platform/shortcuts';
import { type Conversation, conversationOf, readingOf, titleOf, whyReadOnly } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { announceAnswers } from './announce_answers';
import { ConversationBar } from './ConversationBar';
import { ConversationNotFound } from './ConversationNotFound';
import { ConversationStart } from './ConversationStart';
import { createLinkTarget } from './link_target';
import { StatusLine } from './StatusLine';
import './ConversationView.css';

export function ConversationView(props: { conversationId: string; messageId?: string | undefined }) {
  // Rebuilt for each conversation, so that nothing of the last one is shown.
  return (
    <Show when={props.conversationId} keyed>
      {(id) => <OneConversation id={id} />}
    </Show>
  );
}

function OneConversation(props: { id: string }) {
  const store = useStore();
  /** The project of the address; another one may still be loaded. */
  const snapshot = () => {
    const here = route();
    const loaded = store.snapshot();
    return here.view === 'conversation' && loaded?.project.id === here.projectId ? loaded : undefined;
  };
  const conversation = createMemo(() => {
    const here = snapshot();
    return here && conversationOf(here, props.id);
  });
  const readable = () => {
    const here = conversation();
    return here && here.type !== 'thread' ? here : undefined;
  };
  createEffect(() => openThreadBeside(conversation()));
  return (
    <main class="conversation">
      <ConversationBar conversation={readable()} />
      <Switch>
        <Match when={readable()}>{(here) => <LoadedConversation conversation={here()} id={props.id} />}</Match>
        <Match when={!snapshot()}>
          <Skeleton label="Loading the conversation" lines={9} />
        </Match>
        <Match when={!conversation()}>
          <ConversationNotFound />
        </Match>
      </Switch>
    </main>
  );
}

function LoadedConversation(props: { conversation: Conversation; id: string }) {
  const store = useStore();
  const id = untrack(() => props.id);
  const messageList = store.messageList(id);
  const target = createLinkTarget(id);
  const title = createMemo(() => {
    const snapshot = store.snapshot();
    return snapshot ? titleOf(snapshot, id) : '';
  });
  const readOnly = () => {
    const snapshot = store.snapshot();
    return snapshot && whyReadOnly(snapshot, id);
  };
  announceAnswers(store, messageList);
  onCleanup(
    onShortcut('mark-read', () => {
      const snapshot = store.snapshot();
      const reading = snapshot && readingOf(snapshot, id);
      if (reading) store.commands.markRead(id, reading.last_seq);
    }),
  );
  return (
    <>
      <MessageListView
        messageList={messageList}
        label={`Messages in ${title()}`}
        targetId={target()}
        scope="conversation"
        beginning={() => (
          <ConversationStart conversation={props.conversation} isEmpty={messageList.ids().length === 0} />
        )}
      />
      <div class="conversation-foot">
        <StatusLine conversationId={id} />
        <LazyComposer conversationId={id} label={title()} readOnly={readOnly()} />
      </div>
    </>
  );
}

/** A link to a thread opens its channel with the thread in the pane. */
function openThreadBeside(conversation: Conversation | undefined): void {
  const here = untrack(route);
  if (conversation?.type !== 'thread' || here.view !== 'conversation') return;
  const { id, thread } = conversation;
  go({ ...here, conversationId: thread.channel_id, pane: { kind: 'thread', id } }, { replace: true });
}
