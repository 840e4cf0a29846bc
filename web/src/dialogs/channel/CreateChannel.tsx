/** Creates a channel. A private channel leads on to its members. */
import { createSignal } from 'solid-js';
import { Switch } from '../../parts/field/Switch';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { FormDialog } from '../form/FormDialog';
import { NameField } from '../form/NameField';
import { nameProblem, TOPIC_CHARS_MAX } from '../form/name_rules';
import { TextArea } from '../form/TextArea';
import { openDialog } from '../open_dialog';

export function CreateChannel(props: { onClose(): void }) {
  const store = useStore();
  const [name, setName] = createSignal('');
  const [topic, setTopic] = createSignal('');
  const [isPrivate, setPrivate] = createSignal(false);
  const create = async () => {
    const visibility = isPrivate() ? 'private' : 'project';
    const request = { name: name().trim(), visibility, ...(topic().trim() ? { topic: topic().trim() } : {}) } as const;
    const channel = await store.commands.createChannel(request);
    props.onClose();
    go({ view: 'conversation', projectId: channel.project_id, conversationId: channel.id });
    if (isPrivate()) openDialog({ kind: 'channel-members', channelId: channel.id });
  };
  return (
    <FormDialog
      title="Create a channel"
      submit="Create"
      isReady={!nameProblem(name().trim()) && [...topic()].length <= TOPIC_CHARS_MAX}
      fields={['name', 'topic']}
      act={create}
      onClose={props.onClose}
    >
      {(refusal) => (
        <>
          <NameField
            label="Name"
            placeholder="release"
            hint="Short and descriptive."
            value={name()}
            onInput={setName}
            refusal={refusal()}
          />
          <TextArea
            label="Topic"
            field="topic"
            placeholder="Ship 0.4"
            value={topic()}
            charsMax={TOPIC_CHARS_MAX}
            onInput={setTopic}
            refusal={refusal()}
          />
          <Switch
            label="Private"
            hint={isPrivate() ? 'Only you and the members you add can see it.' : 'Everyone in the project can see it.'}
            isOn={isPrivate()}
            onChange={setPrivate}
          />
        </>
      )}
    </FormDialog>
  );
}
