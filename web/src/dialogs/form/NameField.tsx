/** A field for a name: checks while typing and shows the hub's refusal in the same place. */
import { createUniqueId, Show } from 'solid-js';
import type { Refusal } from '../../api/refusal';
import { NAME_CHARS_MAX } from '../../text/names';
import { nameProblem } from './name_rules';

/** The count is shown from this length on. */
const COUNT_FROM = NAME_CHARS_MAX - 16;

export function NameField(props: {
  label: string;
  hint?: string;
  placeholder?: string;
  value: string;
  onInput(value: string): void;
  refusal?: Refusal | undefined;
}) {
  const id = createUniqueId();
  const count = () => [...props.value.trim()].length;
  const problem = () => {
    if (props.refusal?.more.field === 'name') return `${props.refusal.message} (${props.refusal.code})`;
    return count() > 0 ? nameProblem(props.value.trim()) : undefined;
  };
  return (
    <label class="field">
      <span>{props.label}</span>
      <input
        type="text"
        value={props.value}
        placeholder={props.placeholder}
        autocomplete="off"
        spellcheck={false}
        aria-invalid={problem() ? 'true' : undefined}
        aria-describedby={id}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <small id={id} class="field-words" data-problem={problem() ? '' : undefined} aria-live="polite">
        {problem() ?? props.hint}
        <Show when={count() > COUNT_FROM && !problem()}>
          <span class="field-count">
            {count()} of {NAME_CHARS_MAX}
          </span>
        </Show>
      </small>
    </label>
  );
}
