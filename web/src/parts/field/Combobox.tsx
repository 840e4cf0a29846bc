/** A combobox for picking one or several members, channels or other named things. */
import { createMemo, createSignal, createUniqueId, For, type JSX, Show } from 'solid-js';
import { Icon } from '../Icon';
import { ComboboxOptions } from './ComboboxOptions';
import { rank } from './rank_match';
import './Combobox.css';

export interface ComboboxOption {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
  /** Icon or avatar before the label. */
  readonly mark?: () => JSX.Element;
}

/** Options shown at once; typing finds the others. */
const SHOWN_MAX = 50;

interface ComboboxProps {
  label: string;
  hint?: string;
  placeholder?: string;
  options: readonly ComboboxOption[];
  /** Picked options, shown as chips; Backspace removes the last one. */
  chosen?: readonly ComboboxOption[];
  onPick(id: string): void;
  onRemove?(id: string): void;
  /** Text when nothing matches. */
  empty?: string;
}

export function Combobox(props: ComboboxProps) {
  const id = createUniqueId();
  let box: HTMLDivElement | undefined;
  let input: HTMLInputElement | undefined;
  const state = createComboboxState(props, () => input?.focus());
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <div class="combobox" ref={box}>
        <For each={props.chosen}>
          {(one) => <Chosen option={one} onRemove={() => [props.onRemove?.(one.id), input?.focus()]} />}
        </For>
        <input
          id={id}
          ref={input}
          role="combobox"
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-expanded={state.isOpen()}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={state.isOpen() && state.shown().length > 0 ? `${id}-${state.active()}` : undefined}
          aria-describedby={props.hint ? `${id}-hint` : undefined}
          placeholder={props.chosen?.length ? undefined : props.placeholder}
          value={state.typed()}
          onInput={(event) => state.onInput(event.currentTarget.value)}
          onClick={() => state.setOpen(true)}
          onBlur={() => state.setOpen(false)}
          onKeyDown={state.onKeyDown}
        />
      </div>
      <Show when={state.isOpen() && box}>
        {(anchor) => (
          <ComboboxOptions
            id={id}
            label={props.label}
            anchor={anchor()}
            shown={state.shown()}
            active={state.active()}
            empty={props.empty ?? 'No matches.'}
            onHover={state.setActive}
            onPick={state.pick}
            onLeave={() => state.setOpen(false)}
          />
        )}
      </Show>
      <Show when={props.hint}>{(hint) => <small id={`${id}-hint`}>{hint()}</small>}</Show>
    </div>
  );
}

/** The typed text, the matching options and the active one. */
function createComboboxState(props: ComboboxProps, focus: () => void) {
  const [typed, setTyped] = createSignal('');
  const [isOpen, setOpen] = createSignal(false);
  const [active, setActive] = createSignal(0);
  const chosenIds = createMemo(() => new Set(props.chosen?.map((one) => one.id)));
  const shown = createMemo(() =>
    rank(
      typed(),
      props.options.filter((option) => !chosenIds().has(option.id)),
      (option) => option.label,
    ).slice(0, SHOWN_MAX),
  );
  const pick = (option: ComboboxOption | undefined) => {
    if (!option) return;
    props.onPick(option.id);
    setTyped('');
    setActive(0);
    focus();
    if (!props.chosen) setOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    const last = props.chosen?.at(-1);
    if (event.key === 'Backspace' && typed() === '' && last) return props.onRemove?.(last.id);
    if (event.key === 'Escape' && isOpen()) setOpen(false);
    else if (event.key === 'Enter' && isOpen()) pick(shown()[active()]);
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (isOpen()) setActive((at) => (at + step + shown().length) % Math.max(1, shown().length));
      setOpen(true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onInput = (text: string) => {
    setTyped(text);
    setActive(0);
    setOpen(true);
  };
  return { typed, isOpen, setOpen, active, setActive, shown, pick, onKeyDown, onInput };
}

function Chosen(props: { option: ComboboxOption; onRemove(): void }) {
  return (
    <span class="combobox-chosen">
      {props.option.mark?.()}
      {props.option.label}
      <button type="button" aria-label={`Remove ${props.option.label}`} onClick={() => props.onRemove()}>
        <Icon name="close" size={14} />
      </button>
    </span>
  );
}
