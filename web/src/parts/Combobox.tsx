/** A combobox for picking one or several members, channels or other named things. */
import {
  createEffect,
  createMemo,
  createSignal,
  createUniqueId,
  For,
  type JSX,
  onCleanup,
  onMount,
  Show,
} from 'solid-js';
import { Icon } from './Icon';
import { liftPopover } from './popover';
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

export function Combobox(props: {
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
}) {
  const id = createUniqueId();
  const [typed, setTyped] = createSignal('');
  const [isOpen, setOpen] = createSignal(false);
  const [active, setActive] = createSignal(0);
  let box: HTMLDivElement | undefined;
  let input: HTMLInputElement | undefined;
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
    input?.focus();
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
          aria-expanded={isOpen()}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen() && shown().length > 0 ? `${id}-${active()}` : undefined}
          aria-describedby={props.hint ? `${id}-hint` : undefined}
          placeholder={props.chosen?.length ? undefined : props.placeholder}
          value={typed()}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
            setActive(0);
            setOpen(true);
          }}
          onClick={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onKeyDown={onKeyDown}
        />
      </div>
      <Show when={isOpen() && box}>
        {(anchor) => (
          <Options
            id={id}
            label={props.label}
            anchor={anchor()}
            shown={shown()}
            active={active()}
            empty={props.empty ?? 'Nothing fits.'}
            onHover={setActive}
            onPick={pick}
            onLeave={() => setOpen(false)}
          />
        )}
      </Show>
      <Show when={props.hint}>{(hint) => <small id={`${id}-hint`}>{hint()}</small>}</Show>
    </div>
  );
}

function Options(props: {
  id: string;
  label: string;
  anchor: HTMLElement;
  shown: readonly ComboboxOption[];
  active: number;
  empty: string;
  onHover(index: number): void;
  onPick(option: ComboboxOption): void;
  onLeave(): void;
}) {
  let sheet: HTMLDivElement | undefined;
  let list: HTMLDivElement | undefined;
  onMount(() => {
    if (!sheet) return;
    // The field keeps the focus, wherever in the list the pointer is pressed.
    sheet.addEventListener('mousedown', (event) => event.preventDefault());
    onCleanup(liftPopover(sheet, { anchor: props.anchor, isWide: true, onLeave: () => props.onLeave() }));
  });
  createEffect(() => list?.children[props.active]?.scrollIntoView?.({ block: 'nearest' }));
  return (
    <div class="popover combobox-list" popover="manual" ref={sheet}>
      <div role="listbox" id={`${props.id}-list`} aria-label={props.label} ref={list}>
        {/* By id: an option whose data changes keeps its element, so a click that has begun on it counts. */}
        <For each={props.shown.map((option) => option.id)}>
          {(optionId, index) => (
            <Show when={props.shown.find((option) => option.id === optionId)}>
              {(option) => (
                <button
                  type="button"
                  class="combobox-option"
                  role="option"
                  tabIndex={-1}
                  id={`${props.id}-${index()}`}
                  aria-selected={props.active === index()}
                  onPointerMove={() => props.onHover(index())}
                  onClick={() => props.onPick(option())}
                >
                  <OptionLabel option={option()} />
                </button>
              )}
            </Show>
          )}
        </For>
      </div>
      <Show when={props.shown.length === 0}>
        <p class="combobox-empty">{props.empty}</p>
      </Show>
    </div>
  );
}

function OptionLabel(props: { option: ComboboxOption }) {
  return (
    <>
      {props.option.mark?.()}
      <span class="combobox-label">{props.option.label}</span>
      <Show when={props.option.detail}>{(detail) => <span class="combobox-detail">{detail()}</span>}</Show>
    </>
  );
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
