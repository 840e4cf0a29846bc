/** Edits name, topic and visibility of a channel, and archives it. */
import { createSignal, Show } from 'solid-js';
import type { Channel } from '../../api/model';
import { Confirm } from '../../parts/dialog/Confirm';
import { Switch } from '../../parts/field/Switch';
import { useStore } from '../../state/store_context';
import { FormDialog } from '../form/FormDialog';
import { NameField } from '../form/NameField';
import { nameProblem, TOPIC_CHARS_MAX } from '../form/name_rules';
import { TextArea } from '../form/TextArea';

export function EditChannel(props: { channel: Channel; onClose(): void }) {
  const store = useStore();
  // The typed values stay when others change the channel meanwhile.
  const before = props.channel;
  const [name, setName] = createSignal(before.name);
  const [topic, setTopic] = createSignal(before.topic ?? '');
  const [isPrivate, setPrivate] = createSignal(before.visibility === 'private');
  const save = async () => {
    await store.commands.updateChannel(before.id, {
      ...(name().trim() !== before.name ? { name: name().trim() } : {}),
      ...(topic().trim() !== (before.topic ?? '') ? { topic: topic().trim() } : {}),
      ...(isPrivate() !== (before.visibility === 'private') ? { visibility: isPrivate() ? 'private' : 'project' } : {}),
    });
    props.onClose();
  };
  return (
    <FormDialog
      title={`Edit #${before.name}`}
      submit="Save"
      isReady={!nameProblem(name().trim()) && [...topic()].length <= TOPIC_CHARS_MAX}
      fields={['name', 'topic']}
      act={save}
      onClose={props.onClose}
    >
      {(refusal) => (
        <>
          <NameField label="Name" value={name()} onInput={setName} refusal={refusal()} />
          <TextArea
            label="Topic"
            field="topic"
            value={topic()}
            charsMax={TOPIC_CHARS_MAX}
            onInput={setTopic}
            refusal={refusal()}
          />
          <Switch label="Private" hint={visibilityHint(before, isPrivate())} isOn={isPrivate()} onChange={setPrivate} />
          <Archival channel={props.channel} />
        </>
      )}
    </FormDialog>
  );
}

function visibilityHint(before: Channel, isPrivate: boolean): string {
  if (isPrivate === (before.visibility === 'private')) {
    return isPrivate ? 'Only its members can see it.' : 'Everyone in the project can see it.';
  }
  return isPrivate
    ? 'From now on only you and the members you add can see it.'
    : 'From now on everyone in the project can see it, including earlier messages.';
}

function Archival(props: { channel: Channel }) {
  const store = useStore();
  const [isAsking, setAsking] = createSignal(false);
  const isArchived = () => Boolean(props.channel.archived_at);
  return (
    <div class="dialog-aside">
      <span>{isArchived() ? 'Archived: it is read-only.' : 'An archived channel is read-only.'}</span>
      <button type="button" class="button" onClick={() => setAsking(true)}>
        {isArchived() ? 'Unarchive…' : 'Archive…'}
      </button>
      <Show when={isAsking()}>
        <Confirm
          title={isArchived() ? `Unarchive #${props.channel.name}?` : `Archive #${props.channel.name}?`}
          act={isArchived() ? 'Unarchive' : 'Archive'}
          kind={isArchived() ? 'main' : 'danger'}
          onConfirm={() => store.commands.setArchived(props.channel.id, !isArchived())}
          onClose={() => setAsking(false)}
        >
          {isArchived()
            ? 'Members can write in it again.'
            : 'It becomes read-only. Messages stay, and you can unarchive it.'}
        </Confirm>
      </Show>
    </div>
  );
}
