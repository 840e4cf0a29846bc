/** The start of a conversation: its title, and the next step while it is empty. */
import { createMemo, For, Show } from 'solid-js';
import { openDialog } from '../../dialogs/open_dialog';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { giveFocus } from '../../platform/focus';
import { type Conversation, readersOf, titleOf, whyReadOnly } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import './ConversationStart.css';

/** Agents shown as examples. */
const EXAMPLES_MAX = 4;

export function ConversationStart(props: { conversation: Conversation; isEmpty: boolean }) {
  const store = useStore();
  const snapshot = () => store.snapshot();
  const channel = () => (props.conversation.type === 'dm' ? undefined : props.conversation.channel);
  const title = () => {
    const here = snapshot();
    return here ? titleOf(here, props.conversation.id) : '';
  };
  const mayWrite = () => {
    const here = snapshot();
    return here && !whyReadOnly(here, props.conversation.id);
  };
  /** Only the reader and agents are in the project. */
  const isAlone = () => channel() !== undefined && snapshot()?.people.every((one) => one.id === snapshot()?.reader);
  return (
    <div class="beginning">
      <span class="beginning-mark">
        <Icon name={channel() ? (channel()?.visibility === 'private' ? 'lock' : 'hash') : 'chat'} size={22} />
      </span>
      <h2>
        {channel() ? `This is the start of ${title()}` : `This is the start of your direct messages with ${title()}`}
      </h2>
      <Show when={channel()?.topic}>{(topic) => <p>{topic()}</p>}</Show>
      <Show when={props.isEmpty && mayWrite() && !isAlone()}>
        <Invitation conversation={props.conversation} />
      </Show>
      <Show when={isAlone() && mayWrite()}>
        <FirstSteps conversation={props.conversation} />
      </Show>
    </div>
  );
}

/** What to do in a project without other people: try an agent, connect one, invite somebody. */
function FirstSteps(props: { conversation: Conversation }) {
  const store = useStore();
  const agent = () => store.snapshot()?.agents[0];
  const ask = (name: string) => {
    const { id } = props.conversation;
    if (store.draft(id).text === '') store.commands.setDraft(id, { ...store.draft(id), text: `@${name} help` });
    giveFocus('composer', id);
  };
  return (
    <div class="beginning-actions">
      <Show when={agent()}>
        {(one) => (
          <button type="button" class="button" onClick={() => ask(one().name)}>
            <Icon name="chat" size={16} /> Ask {one().name}
          </button>
        )}
      </Show>
      <button type="button" class="button" onClick={() => openDialog({ kind: 'add-agent' })}>
        <Icon name="spark" size={16} /> Add your agent
      </button>
      <button type="button" class="button" onClick={() => openDialog({ kind: 'invite-people' })}>
        <Icon name="people" size={16} /> Invite people
      </button>
    </div>
  );
}

/** The next step in an empty conversation, with agents to mention by a click. */
function Invitation(props: { conversation: Conversation }) {
  const store = useStore();
  const agents = createMemo(() => {
    const snapshot = store.snapshot();
    const members = store.members();
    const readers = snapshot ? readersOf(snapshot, props.conversation.id) : [];
    const found = readers.map((id) => members.get(id)).filter((member) => member?.type === 'agent');
    return found.filter((member) => member !== undefined).slice(0, EXAMPLES_MAX);
  });
  const mention = (name: string) => {
    const { id } = props.conversation;
    const draft = store.draft(id);
    const space = draft.text === '' || draft.text.endsWith(' ') ? '' : ' ';
    store.commands.setDraft(id, { ...draft, text: `${draft.text}${space}@${name} ` });
    giveFocus('composer', id);
  };
  return (
    <>
      <p>
        No messages yet. Write the first one
        {agents().length > 0 ? ', or mention an agent with @.' : '.'}
      </p>
      <Show when={agents().length > 0}>
        <div class="beginning-agents">
          <For each={agents()}>
            {(agent) => (
              <button type="button" class="button" onClick={() => mention(agent.name)}>
                <Avatar name={agent.name} shape="agent" size="small" /> @{agent.name}
              </button>
            )}
          </For>
        </div>
      </Show>
    </>
  );
}
