/** Creates a channel. A private channel leads on to its members. */
import { createSignal } from 'solid-js';
import { Switch } from '../../parts/Switch';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { FormDialog } from '../form/FormDialog';
import { NameField } from '../form/NameField';
import { TOPIC_CHARS_MAX, whyNoName } from '../form/name_rules';
import { TextArea } from '../form/TextArea';
import { openDialog } from '../open_dialog';

export function CreateChannel(props: { onClose(): void }) {
  const store = useStore();
  const [name, setName] = createSignal('');
  const [topic, setTopic] = createSignal('');
  const [isPrivate, setPrivate] = createSignal(false);
  const create = async () => {
    const visibility = isPrivate() ? 'private' : 'project';
    const wish = { name: name().trim(), visibility, ...(topic().trim() ? { topic: topic().trim() } : {}) } as const;
    const channel = await store.commands.createChannel(wish);
    props.onClose();
    go({ view: 'conversation', projectId: channel.project_id, conversationId: channel.id });
    if (isPrivate()) openDialog({ kind: 'channel-members', channelId: channel.id });
  };
  return (
    <FormDialog
      title="Create a channel"
      submit="Create"
      isReady={!whyNoName(name().trim()) && [...topic()].length <= TOPIC_CHARS_MAX}
      fields={['name', 'topic']}
      act={create}
      onClose={props.onClose}
    >
      {(refusal) => (
        <>
          <NameField
            label="Name"
            placeholder="release"
            hint="Short and plain: what is talked about."
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
            hint={
              isPrivate()
                ? 'Only you and those you let in see it, people and agents alike.'
                : 'Everybody of the project sees it, people and agents alike.'
            }
            isOn={isPrivate()}
            onChange={setPrivate}
          />
        </>
      )}
    </FormDialog>
  );
}
