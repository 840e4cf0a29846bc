/** Fields that every new agent has: name and instructions. */
import { createSignal } from 'solid-js';
import type { Refusal } from '../../api/refusal';
import { NameField } from '../form/NameField';
import { INSTRUCTIONS_CHARS_MAX, nameProblem } from '../form/name_rules';
import { TextArea } from '../form/TextArea';

/** The values of the fields, and whether they can be sent. */
export function createAgentValues() {
  const [name, setName] = createSignal('');
  const [instructions, setInstructions] = createSignal('');
  const isReady = () => !nameProblem(name().trim()) && [...instructions()].length <= INSTRUCTIONS_CHARS_MAX;
  const request = () => {
    const trimmed = instructions().trim();
    return { name: name().trim(), ...(trimmed ? { instructions: trimmed } : {}) };
  };
  return { name, setName, instructions, setInstructions, isReady, request };
}

export function AgentFields(props: { values: ReturnType<typeof createAgentValues>; refusal: Refusal | undefined }) {
  const { values } = props;
  return (
    <>
      <NameField
        label="Name"
        hint="Used to mention it."
        placeholder="Helper"
        value={values.name()}
        onInput={values.setName}
        refusal={props.refusal}
      />
      <TextArea
        label="Instructions"
        field="instructions"
        hint="The system prompt. Members of the project can read it."
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
