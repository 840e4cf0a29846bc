/** Asks before a member is removed from a channel or from the project. */
import type { Channel, Member, Person } from '../../api/model';
import { Confirm } from '../../parts/Confirm';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';

export function RemoveFromChannel(props: { channel: Channel; member: Member; onClose(): void }) {
  const store = useStore();
  const isReader = () => store.snapshot()?.reader === props.member.id;
  const remove = async () => {
    const projectId = props.channel.project_id;
    await store.commands.removeChannelMember(props.channel.id, props.member.id);
    if (isReader()) go({ view: 'project', projectId });
  };
  return (
    <Confirm
      title={isReader() ? `Leave #${props.channel.name}?` : `Remove ${props.member.name} from #${props.channel.name}?`}
      act={isReader() ? 'Leave' : 'Remove'}
      onConfirm={remove}
      onClose={props.onClose}
    >
      {isReader()
        ? 'You no longer see it. Somebody who is in it can let you in again.'
        : `${props.member.name} no longer sees the channel. What they wrote stays.`}
    </Confirm>
  );
}

export function RemoveFromProject(props: { person: Person; onClose(): void }) {
  const store = useStore();
  return (
    <Confirm
      title={`Remove ${props.person.name} from the project?`}
      act="Remove"
      onConfirm={() => store.commands.removeProjectPerson(props.person.id)}
      onClose={props.onClose}
    >
      {`${props.person.name} no longer sees the project. What they wrote stays, and they can be let in again.`}
    </Confirm>
  );
}
