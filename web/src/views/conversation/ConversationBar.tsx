/** The bar above the messages: title, sidebar button, search and details. */
import { createMemo, Match, Show, Switch } from 'solid-js';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { go, route, setPane } from '../../platform/router';
import { isSidebarOpen, setSidebarOpen } from '../../shell/sidebar/sidebar_state';
import { usePersonColour } from '../../state/person_colour';
import { type Conversation, questionsBesides, readersOf, titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import './ConversationBar.css';

export function ConversationBar(props: { conversation: Conversation | undefined }) {
  return (
    <header class="conversation-bar">
      <MenuButton />
      <Show when={props.conversation}>
        {(conversation) => (
          <>
            <Name conversation={conversation()} />
            <Tools conversationId={conversation().id} />
          </>
        )}
      </Show>
    </header>
  );
}

/** Opens the sidebar drawer, and shows the number of mentions. */
function MenuButton() {
  const store = useStore();
  const mentions = createMemo(() => {
    const here = store.snapshot()?.reading.reduce((sum, one) => sum + one.mentions.length, 0) ?? 0;
    return [...store.unreadOfProjects().values()].reduce((sum, one) => sum + one.mentions, here);
  });
  const questions = createMemo(() => questionsBesides(store.snapshot(), store.questions().items));
  const calls = () => mentions() + questions();
  const label = () => {
    const kinds = [...(mentions() > 0 ? ['mentions'] : []), ...(questions() > 0 ? ['questions'] : [])];
    return calls() > 0 ? `Open the sidebar, ${calls()} ${kinds.join(' and ')}` : 'Open the sidebar';
  };
  return (
    <button
      type="button"
      class="icon-button menu-button"
      aria-label={label()}
      aria-expanded={isSidebarOpen()}
      onClick={() => setSidebarOpen(true)}
    >
      <Icon name="menu" size={20} />
      <Show when={calls() > 0}>
        <span class="badge" data-kind="mention">
          {calls()}
        </span>
      </Show>
    </button>
  );
}

function Name(props: { conversation: Conversation }) {
  const store = useStore();
  const channel = () => (props.conversation.type === 'dm' ? undefined : props.conversation.channel);
  const title = () => {
    const snapshot = store.snapshot();
    return snapshot ? titleOf(snapshot, props.conversation.id) : '';
  };
  return (
    <div class="conversation-name">
      <h1>
        <Switch fallback={<DmMark conversation={props.conversation} />}>
          <Match when={channel()}>
            {(here) => <Icon name={here().visibility === 'private' ? 'lock' : 'hash'} size={18} />}
          </Match>
        </Switch>
        <span>{channel()?.name ?? title()}</span>
      </h1>
      <Show when={channel()?.topic}>
        {(topic) => (
          <p class="conversation-topic" title={topic()}>
            {topic()}
          </p>
        )}
      </Show>
    </div>
  );
}

/** The other member of a DM; group DMs have an icon. */
function DmMark(props: { conversation: Conversation }) {
  const store = useStore();
  const colour = usePersonColour();
  const others = () => {
    if (props.conversation.type !== 'dm') return [];
    return props.conversation.dm.participants.filter((id) => id !== store.snapshot()?.reader);
  };
  const member = () => (others().length === 1 ? store.members().get(others()[0] ?? '') : undefined);
  return (
    <Show when={member()} fallback={<Icon name="people" size={18} />}>
      {(one) => <Avatar name={one().name} shape={one().type} size="small" colour={colour(one())} />}
    </Show>
  );
}

function Tools(props: { conversationId: string }) {
  const store = useStore();
  const pane = () => {
    const here = route();
    return here.view === 'conversation' ? here.pane : undefined;
  };
  const count = createMemo(() => {
    const snapshot = store.snapshot();
    return snapshot ? readersOf(snapshot, props.conversationId).length : 0;
  });
  const toggleDetails = () => setPane(pane()?.kind === 'details' ? undefined : { kind: 'details' });
  return (
    <div class="conversation-tools">
      <button
        type="button"
        class="icon-button bar-search"
        aria-label="Search"
        onClick={() => go({ view: 'search', query: '' })}
      >
        <Icon name="search" />
      </button>
      <button
        type="button"
        class="button bar-members"
        data-kind="quiet"
        aria-label={count() === 1 ? '1 member' : `${count()} members`}
        aria-expanded={pane()?.kind === 'details'}
        onClick={toggleDetails}
      >
        <Icon name="people" /> {count()}
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={pane() ? 'Close the pane' : 'Open the pane'}
        aria-expanded={pane() !== undefined}
        onClick={() => setPane(pane() ? undefined : { kind: 'details' })}
      >
        <Icon name="pane" />
      </button>
    </div>
  );
}
