/** Creates a project that the reader then owns. */
import { createSignal } from 'solid-js';
import { go } from '../platform/router';
import { useStore } from '../state/store_context';
import { FormDialog } from './form/FormDialog';
import { NameField } from './form/NameField';
import { DESCRIPTION_CHARS_MAX, nameProblem } from './form/name_rules';
import { TextArea } from './form/TextArea';

export function CreateProject(props: { onClose(): void }) {
  const store = useStore();
  const [name, setName] = createSignal('');
  const [description, setDescription] = createSignal('');
  const create = async () => {
    const about = description().trim();
    const project = await store.commands.createProject({ name: name().trim(), ...(about && { description: about }) });
    props.onClose();
    go({ view: 'project', projectId: project.id });
  };
  return (
    <FormDialog
      title="Create a project"
      about="A project groups people, agents and conversations. Only its members can see it."
      submit="Create"
      isReady={!nameProblem(name().trim()) && [...description()].length <= DESCRIPTION_CHARS_MAX}
      fields={['name', 'description']}
      act={create}
      onClose={props.onClose}
    >
      {(refusal) => (
        <>
          <NameField label="Name" placeholder="Garden" value={name()} onInput={setName} refusal={refusal()} />
          <TextArea
            label="Description"
            field="description"
            value={description()}
            charsMax={DESCRIPTION_CHARS_MAX}
            onInput={setDescription}
            refusal={refusal()}
          />
        </>
      )}
    </FormDialog>
  );
}
