/** Shows the requested dialog. Its subject is read live; when the subject is removed, the dialog closes. */
import { Match, Switch } from 'solid-js';
import type { Channel, Member, Person } from '../api/model';
import { useStore } from '../state/store_context';
import { AddAgent } from './agent/AddAgent';
import { CreateProject } from './CreateProject';
import { ChannelMembers } from './channel/ChannelMembers';
import { CreateChannel } from './channel/CreateChannel';
import { EditChannel } from './channel/EditChannel';
import { closeDialog, type DialogRequest } from './open_dialog';
import { InvitePeople } from './people/InvitePeople';
import { RemoveFromChannel, RemoveFromProject } from './people/RemoveMember';
import { StartDm } from './people/StartDm';

export function DialogSwitch(props: { request: DialogRequest }) {
  const of = useSubjects(() => props.request);
  const is = (kind: DialogRequest['kind']) => props.request.kind === kind;
  return (
    <Switch>
      <Match when={is('create-channel')}>
        <CreateChannel onClose={closeDialog} />
      </Match>
      <Match when={is('edit-channel') && of.channel()}>
        {(channel) => <EditChannel channel={channel()} onClose={closeDialog} />}
      </Match>
      <Match when={is('channel-members') && of.channel()}>
        {(channel) => <ChannelMembers channel={channel()} onClose={closeDialog} />}
      </Match>
      <Match when={is('remove-from-channel') && of.seat()}>
        {(seat) => <RemoveFromChannel {...seat()} onClose={closeDialog} />}
      </Match>
      <Match when={is('remove-from-project') && of.person()}>
        {(person) => <RemoveFromProject person={person()} onClose={closeDialog} />}
      </Match>
      <Match when={is('start-dm')}>
        <StartDm onClose={closeDialog} />
      </Match>
      <Match when={is('create-project')}>
        <CreateProject onClose={closeDialog} />
      </Match>
      <Match when={is('invite-people')}>
        <InvitePeople onClose={closeDialog} />
      </Match>
      <Match when={is('add-agent')}>
        <AddAgent onClose={closeDialog} />
      </Match>
    </Switch>
  );
}

/** The channel, member or person of a request, as it is now. */
function useSubjects(request: () => DialogRequest) {
  const store = useStore();
  const channel = (): Channel | undefined => {
    const now = request();
    return 'channelId' in now ? store.snapshot()?.channels.find((one) => one.id === now.channelId) : undefined;
  };
  const member = (): Member | undefined => {
    const now = request();
    return 'memberId' in now ? store.members().get(now.memberId) : undefined;
  };
  const seat = () => {
    const [where, who] = [channel(), member()];
    return where && who ? { channel: where, member: who } : undefined;
  };
  const person = (): Person | undefined => {
    const now = request();
    return 'personId' in now ? store.snapshot()?.people.find((one) => one.id === now.personId) : undefined;
  };
  return { channel, seat, person };
}
