/** A segmented control: a group of radio buttons. */
import { createUniqueId, For, Show } from 'solid-js';
import { Icon, type IconName } from '../Icon';
import './Choice.css';

export interface ChoiceOption<Id extends string> {
  readonly id: Id;
  readonly label: string;
  readonly icon?: IconName;
}

export function Choice<Id extends string>(props: {
  label: string;
  hint?: string;
  options: readonly ChoiceOption<Id>[];
  selected: Id;
  onSelect(id: Id): void;
}) {
  const name = createUniqueId();
  return (
    <fieldset class="choice">
      <legend>{props.label}</legend>
      <div class="choice-options">
        <For each={props.options}>
          {(option) => (
            <label class="choice-option">
              <input
                type="radio"
                name={name}
                value={option.id}
                checked={option.id === props.selected}
                onChange={() => props.onSelect(option.id)}
              />
              <Show when={option.icon}>{(icon) => <Icon name={icon()} size={16} />}</Show>
              {option.label}
            </label>
          )}
        </For>
      </div>
      <Show when={props.hint}>{(hint) => <small class="hint">{hint()}</small>}</Show>
    </fieldset>
  );
}
