/** A switch that takes effect at once. */
import { createUniqueId, Show } from 'solid-js';
import './Switch.css';

export function Switch(props: {
  label: string;
  hint?: string;
  isOn: boolean;
  isOff?: boolean;
  onChange(isOn: boolean): void;
}) {
  const hintId = createUniqueId();
  return (
    <label class="switch">
      <span class="switch-words">
        <span>{props.label}</span>
        <Show when={props.hint}>{(hint) => <small id={hintId}>{hint()}</small>}</Show>
      </span>
      <input
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox reports its own state.
        role="switch"
        aria-label={props.label}
        aria-describedby={props.hint ? hintId : undefined}
        checked={props.isOn}
        disabled={props.isOff}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
    </label>
  );
}
