/** The list of options below a combobox. */
import { createEffect, For, onCleanup, onMount, Show } from 'solid-js';
import { showPopoverAt } from '../popover/popover';
import type { ComboboxOption } from './Combobox';

export function ComboboxOptions(props: {
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
    onCleanup(showPopoverAt(sheet, { anchor: props.anchor, isWide: true, onLeave: () => props.onLeave() }));
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
