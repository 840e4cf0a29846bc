/** Members who can read a conversation, with their state; members of a private channel can be added and removed. */
import { createMemo, For, Show } from 'solid-js';
import type { Channel, Member, Snapshot } from '../../api/model';
import { openDialog } from '../../dialogs/open_dialog';
import { Icon } from '../../parts/Icon';
import { route } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { MemberAvatar } from '../../shell/member/MemberAvatar';
import { memberRoute } from '../../shell/member/member_route';
import { useMemberState } from '../../shell/member/use_member_state';
import { type Conversation, mayManage, readersOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { compareNames } from '../../text/names';

export function Members(props: { snapshot: Snapshot; conversation: Conversation }) {
  const store = useStore();
  const ids = createMemo(() => {
    const name = (id: string) => store.members().get(id)?.name ?? '';
    return [...readersOf(props.snapshot, props.conversation.id)].sort((one, other) =>
      compareNames(name(one), name(other)),
    );
  });
  const channel = () => (props.conversation.type === 'dm' ? undefined : props.conversation.channel);
  return (
    <>
      <Show when={channel()}>{(now) => <AddMemberButtons channel={now()} />}</Show>
      <ul class="details-list" aria-label="Members">
        <For each={ids()}>
          {(id) => (
            <Show when={store.members().get(id)} fallback={<li class="fact-missing">Former member</li>}>
              {(member) => <MemberLine snapshot={props.snapshot} channel={channel()} member={member()} />}
            </Show>
          )}
        </For>
      </ul>
    </>
  );
}

function AddMemberButtons(props: { channel: Channel }) {
  const isPrivate = () => props.channel.visibility === 'private';
  return (
    <div class="details-acts">
      <Show
        when={isPrivate()}
        fallback={
          <>
            <button type="button" class="button" onClick={() => openDialog({ kind: 'invite-people' })}>
              Invite people
            </button>
            <button type="button" class="button" onClick={() => openDialog({ kind: 'add-agent' })}>
              Add an agent
            </button>
          </>
        }
      >
        <button
          type="button"
          class="button"
          onClick={() => openDialog({ kind: 'channel-members', channelId: props.channel.id })}
        >
          <Icon name="plus" size={16} />
          Add a member
        </button>
      </Show>
    </div>
  );
}

function MemberLine(props: { snapshot: Snapshot; channel: Channel | undefined; member: Member }) {
  const store = useStore();
  const state = useMemberState();
  const isReader = () => props.member.id === props.snapshot.reader;
  /** The private channel that the reader may remove this member from. */
  const removableFrom = () => {
    const session = store.session();
    const { channel } = props;
    if (session.state !== 'signed_in' || channel?.visibility !== 'private') return undefined;
    return isReader() || mayManage(props.snapshot, channel, session.me) ? channel : undefined;
  };
  const label = () => (isReader() ? 'Leave the channel' : `Remove ${props.member.name}`);
  return (
    <li class="details-row">
      <a class="details-link" href={hrefOf(memberRoute(route(), props.snapshot, props.member.id))}>
        <MemberAvatar member={props.member} />
        <span class="details-name">{props.member.name}</span>
        <span class="row-detail">{isReader() ? 'you' : state(props.member).words}</span>
      </a>
      <Show when={removableFrom()}>
        {(channel) => (
          <button
            type="button"
            class="icon-button"
            aria-label={label()}
            title={label()}
            onClick={() =>
              openDialog({ kind: 'remove-from-channel', channelId: channel().id, memberId: props.member.id })
            }
          >
            <Icon name="close" size={16} />
          </button>
        )}
      </Show>
    </li>
  );
}
