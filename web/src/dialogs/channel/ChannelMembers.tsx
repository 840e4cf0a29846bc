/** Shows the members of a channel; members of a private channel can be added and removed. */
import { createSignal, For, Show } from 'solid-js';
import type { Channel, Member } from '../../api/model';
import { type Refusal, toRefusal } from '../../api/refusal';
import { Dialog } from '../../parts/dialog/Dialog';
import { Combobox } from '../../parts/field/Combobox';
import { Icon } from '../../parts/Icon';
import { MemberAvatar } from '../../shell/member/MemberAvatar';
import { mayManage, readersOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { RefusalText } from '../form/RefusalText';
import { memberOptions } from '../people/member_options';
import { RemoveFromChannel } from '../people/RemoveMember';
import '../dialogs.css';

export function ChannelMembers(props: { channel: Channel; onClose(): void }) {
  const isPrivate = () => props.channel.visibility === 'private';
  return (
    <Dialog
      title={`Members of #${props.channel.name}`}
      onClose={props.onClose}
      footer={
        <button type="button" class="button" data-kind="main" onClick={() => props.onClose()}>
          Done
        </button>
      }
    >
      <Show
        when={isPrivate()}
        fallback={
          <p class="dialog-note">Everyone in the project is in this channel. Make it private to choose its members.</p>
        }
      >
        <PrivateMembers channel={props.channel} />
      </Show>
    </Dialog>
  );
}

function PrivateMembers(props: { channel: Channel }) {
  const store = useStore();
  const [refusal, setRefusal] = createSignal<Refusal>();
  const [leaving, setLeaving] = createSignal<Member>();
  const inside = () => {
    const snapshot = store.snapshot();
    return snapshot ? readersOf(snapshot, props.channel.id) : [];
  };
  const outside = () => [...store.members().values()].filter((member) => !inside().includes(member.id));
  const add = async (memberId: string) => {
    setRefusal(undefined);
    await store.commands.addChannelMember(props.channel.id, memberId).catch((thrown) => setRefusal(toRefusal(thrown)));
  };
  return (
    <div class="dialog-stack">
      <Combobox
        label="Add a member"
        hint="They can read all earlier messages."
        placeholder="Name of a person or an agent"
        options={memberOptions(outside())}
        empty="No other member matches."
        onPick={(id) => void add(id)}
      />
      <Show when={refusal()}>{(why) => <RefusalText refusal={why()} />}</Show>
      <ul class="people-list" aria-label="Members">
        <For each={inside()}>
          {(id) => (
            <Show when={store.members().get(id)}>
              {(member) => (
                <ChannelMemberRow channel={props.channel} member={member()} onRemove={() => setLeaving(member())} />
              )}
            </Show>
          )}
        </For>
      </ul>
      <Show when={leaving()}>
        {(member) => (
          <RemoveFromChannel channel={props.channel} member={member()} onClose={() => setLeaving(undefined)} />
        )}
      </Show>
    </div>
  );
}

function ChannelMemberRow(props: { channel: Channel; member: Member; onRemove(): void }) {
  const store = useStore();
  const isReader = () => store.snapshot()?.reader === props.member.id;
  const mayRemove = () => {
    const snapshot = store.snapshot();
    const session = store.session();
    if (!snapshot || session.state !== 'signed_in') return false;
    return isReader() || mayManage(snapshot, props.channel, session.me);
  };
  return (
    <li class="people-row">
      <MemberAvatar member={props.member} />
      <span class="people-name">
        {props.member.name}
        <Show when={isReader()}>
          <small>you</small>
        </Show>
      </span>
      <Show when={mayRemove()}>
        <button
          type="button"
          class="icon-button"
          aria-label={isReader() ? 'Leave the channel' : `Remove ${props.member.name}`}
          title={isReader() ? 'Leave the channel' : `Remove ${props.member.name}`}
          onClick={() => props.onRemove()}
        >
          <Icon name="close" size={16} />
        </button>
      </Show>
    </li>
  );
}
