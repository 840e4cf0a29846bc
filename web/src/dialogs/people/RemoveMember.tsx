/** Asks before a member is removed from a channel or from the project. */
import type { Channel, Member, Person } from '../../api/model';
import { Confirm } from '../../parts/dialog/Confirm';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { joinNames } from '../../text/wording';

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
        ? 'You will no longer see it. A member can add you again.'
        : `${props.member.name} will no longer see the channel. Their messages stay.`}
    </Confirm>
  );
}

export function RemoveFromProject(props: { person: Person; onClose(): void }) {
  const store = useStore();
  const agents = () =>
    (store.snapshot()?.agents ?? []).filter((one) => one.owner === props.person.id).map((one) => one.name);
  return (
    <Confirm
      title={`Remove ${props.person.name} from the project?`}
      act="Remove"
      onConfirm={() => store.commands.removeProjectPerson(props.person.id)}
      onClose={props.onClose}
    >
      {`${props.person.name} will no longer see the project. Their messages stay, and you can add them again.`}
      {agents().length > 0 && ` The tokens of their agents end now: ${joinNames(agents())}.`}
    </Confirm>
  );
}
