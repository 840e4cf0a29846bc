/** A multi-line text field with a limit. */
import { createUniqueId, Show } from 'solid-js';
import type { Refusal } from '../../api/refusal';

/** The count is shown from this share of the limit on. */
const COUNT_FROM = 0.9;

export function TextArea(props: {
  label: string;
  /** The field name in the API, to match refusals. */
  field: string;
  hint?: string;
  placeholder?: string;
  value: string;
  charsMax: number;
  rows?: number;
  onInput(value: string): void;
  refusal?: Refusal | undefined;
}) {
  const id = createUniqueId();
  const count = () => [...props.value].length;
  const problem = () => {
    if (props.refusal?.more.field === props.field) return `${props.refusal.message} (${props.refusal.code})`;
    return count() > props.charsMax ? `At most ${props.charsMax} characters.` : undefined;
  };
  return (
    <label class="field">
      <span>
        {props.label} <span class="field-optional">optional</span>
      </span>
      <textarea
        rows={props.rows ?? 2}
        placeholder={props.placeholder}
        aria-invalid={problem() ? 'true' : undefined}
        aria-describedby={id}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      >
        {props.value}
      </textarea>
      <small id={id} class="field-words" data-problem={problem() ? '' : undefined} aria-live="polite">
        {problem() ?? props.hint}
        <Show when={count() > props.charsMax * COUNT_FROM}>
          <span class="field-count">
            {count()} of {props.charsMax}
          </span>
        </Show>
      </small>
    </label>
  );
}
