/** Starts a DM. The same members always share the same DM. */
import { createSignal } from 'solid-js';
import { Combobox } from '../../parts/field/Combobox';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { FormDialog } from '../form/FormDialog';
import { DM_MEMBERS_MAX } from '../form/name_rules';
import { memberOptions } from './member_options';

const OTHERS_MAX = DM_MEMBERS_MAX - 1;

export function StartDm(props: { onClose(): void }) {
  const store = useStore();
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const others = () => [...store.members().values()].filter((member) => member.id !== store.snapshot()?.reader);
  const options = () => memberOptions(others());
  const isFull = () => chosen().length >= OTHERS_MAX;
  const start = async () => {
    const dm = await store.commands.openDm(chosen());
    props.onClose();
    go({ view: 'conversation', projectId: dm.project_id, conversationId: dm.id });
  };
  return (
    <FormDialog
      title="Start a direct message"
      about="Only its members can see it. Members cannot be changed later."
      submit="Start"
      isReady={chosen().length > 0}
      act={start}
      onClose={props.onClose}
    >
      {() => (
        <Combobox
          label="Members"
          hint={isFull() ? `A direct message has at most ${DM_MEMBERS_MAX} members.` : 'People, agents, or both.'}
          placeholder="Type a name"
          options={isFull() ? [] : options()}
          chosen={chosen().flatMap((id) => options().find((option) => option.id === id) ?? [])}
          empty={isFull() ? 'A direct message cannot have more members.' : 'No matches in this project.'}
          onPick={(id) => setChosen((now) => (now.length < OTHERS_MAX ? [...now, id] : now))}
          onRemove={(id) => setChosen((now) => now.filter((one) => one !== id))}
        />
      )}
    </FormDialog>
  );
}
