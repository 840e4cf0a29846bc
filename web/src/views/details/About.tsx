/** Facts about a conversation: name, topic, visibility, creation. */
import { Match, Show, Switch } from 'solid-js';
import type { Channel, Snapshot } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { Icon } from '../../parts/Icon';
import { type Conversation, mayManage, titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { Fact } from './Fact';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });

export function About(props: { snapshot: Snapshot; conversation: Conversation }) {
  const channel = () => (props.conversation.type === 'channel' ? props.conversation.channel : undefined);
  const dm = () => (props.conversation.type === 'dm' ? props.conversation.dm : undefined);
  return (
    <Switch fallback={<h2 class="details-title">{titleOf(props.snapshot, props.conversation.id)}</h2>}>
      <Match when={channel()}>{(now) => <AboutChannel snapshot={props.snapshot} channel={now()} />}</Match>
      <Match when={dm()}>
        {(now) => (
          <>
            <h2 class="details-title">{titleOf(props.snapshot, now().id)}</h2>
            <dl class="facts">
              <Fact name="Visible to">Its members. They cannot be changed.</Fact>
              <Fact name="Started">{DAY.format(new Date(now().created_at))}</Fact>
            </dl>
          </>
        )}
      </Match>
    </Switch>
  );
}

function AboutChannel(props: { snapshot: Snapshot; channel: Channel }) {
  const store = useStore();
  const mayEdit = () => {
    const session = store.session();
    return session.state === 'signed_in' && mayManage(props.snapshot, props.channel, session.me);
  };
  const maker = () => store.members().get(props.channel.created_by ?? '')?.name;
  const edit = () => openDialog({ kind: 'edit-channel', channelId: props.channel.id });
  return (
    <>
      <h2 class="details-title">
        <Icon name={props.channel.visibility === 'private' ? 'lock' : 'hash'} size={18} />
        {props.channel.name}
      </h2>
      <dl class="facts">
        <Fact name="Topic">
          <Show
            when={props.channel.topic}
            fallback={<span class="fact-missing">{mayEdit() ? 'No topic yet.' : 'No topic.'}</span>}
          >
            {props.channel.topic}
          </Show>
        </Fact>
        <Fact name="Visible to">
          {props.channel.visibility === 'private' ? 'Members only.' : 'Everyone in the project.'}
        </Fact>
        <Show when={props.channel.archived_at}>
          {(at) => <Fact name="Archived">{`${DAY.format(new Date(at()))}. Read-only.`}</Fact>}
        </Show>
        <Fact name="Created">
          {DAY.format(new Date(props.channel.created_at))}
          <Show when={maker()}>{(name) => <> by {name()}</>}</Show>
        </Fact>
      </dl>
      <Show when={mayEdit()}>
        <button type="button" class="button" onClick={edit}>
          <Icon name="edit" size={16} />
          Edit the channel
        </button>
      </Show>
    </>
  );
}
