/** A single-line field with label, hint and problem. */
import { createUniqueId, type JSX, Show, splitProps } from 'solid-js';

export function TextField(
  props: {
    label: string;
    hint?: JSX.Element;
    problem?: string;
  } & JSX.InputHTMLAttributes<HTMLInputElement>,
) {
  const id = createUniqueId();
  const [own, input] = splitProps(props, ['label', 'hint', 'problem']);
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {own.label}
      </label>
      <input
        type="text"
        {...input}
        id={id}
        aria-invalid={own.problem ? 'true' : undefined}
        aria-describedby={`${id}-hint ${id}-problem`}
      />
      <small id={`${id}-hint`}>{own.hint}</small>
      <p class="problem" role="alert" id={`${id}-problem`}>
        <Show when={own.problem}>{(problem) => problem()}</Show>
      </p>
    </div>
  );
}
