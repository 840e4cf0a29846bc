/** Fields that every new agent has: name and instructions. */
import { createSignal } from 'solid-js';
import type { Refusal } from '../../api/refusal';
import { NameField } from '../form/NameField';
import { INSTRUCTIONS_CHARS_MAX, whyNoName } from '../form/name_rules';
import { TextArea } from '../form/TextArea';

/** The values of the fields, and whether they can be sent. */
export function createAgentValues() {
  const [name, setName] = createSignal('');
  const [instructions, setInstructions] = createSignal('');
  const isReady = () => !whyNoName(name().trim()) && [...instructions()].length <= INSTRUCTIONS_CHARS_MAX;
  const wish = () => {
    const told = instructions().trim();
    return { name: name().trim(), ...(told ? { instructions: told } : {}) };
  };
  return { name, setName, instructions, setInstructions, isReady, wish };
}

export function AgentFields(props: { values: ReturnType<typeof createAgentValues>; refusal: Refusal | undefined }) {
  const { values } = props;
  return (
    <>
      <NameField
        label="Name"
        hint="It is mentioned by this name."
        placeholder="Helper"
        value={values.name()}
        onInput={values.setName}
        refusal={props.refusal}
      />
      <TextArea
        label="Instructions"
        field="instructions"
        hint="What it is told to be. Members of the project can read this."
        placeholder="Be brief. Answer in the language of the question."
        rows={3}
        value={values.instructions()}
        charsMax={INSTRUCTIONS_CHARS_MAX}
        onInput={values.setInstructions}
        refusal={props.refusal}
      />
    </>
  );
}
