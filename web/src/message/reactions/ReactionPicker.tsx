/** The emoji picker beside the button that opened it. */
import { createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { showPopoverAt } from '../../parts/popover/popover';
import { findEmoji } from './emoji';
import './ReactionPicker.css';

/** As in the style sheet. */
const COLUMNS = 8;

export function ReactionPicker(props: { anchor: HTMLElement; onPick(sign: string): void; onClose(): void }) {
  const [query, setQuery] = createSignal('');
  let box: HTMLDivElement | undefined;
  let field: HTMLInputElement | undefined;
  const buttons = () => [...(box?.querySelectorAll<HTMLElement>('.picker-sign') ?? [])];
  const close = () => {
    props.anchor.focus();
    props.onClose();
  };
  /** Closes first: the focus is back in the row before the row changes. */
  const pick = (sign: string | undefined) => {
    if (sign === undefined) return;
    close();
    props.onPick(sign);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && event.target === field) pick(findEmoji(query())[0]?.sign);
    else if (!moveIn(event, buttons(), field)) return;
    event.preventDefault();
  };
  onMount(() => {
    if (!box) return;
    onCleanup(showPopoverAt(box, { anchor: props.anchor, align: 'end', onLeave: () => props.onClose() }));
    field?.focus();
  });
  return (
    <div
      class="reaction-picker popover"
      popover="manual"
      role="dialog"
      aria-label="React"
      ref={box}
      onKeyDown={onKeyDown}
    >
      <input
        ref={field}
        class="text-input"
        type="search"
        placeholder="Search"
        aria-label="Search reactions"
        autocomplete="off"
        onInput={(event) => setQuery(event.currentTarget.value)}
      />
      <div class="picker-signs">
        <For each={findEmoji(query())} fallback={<p class="hint">No matches.</p>}>
          {(emoji) => (
            <button
              type="button"
              class="picker-sign"
              tabindex="-1"
              aria-label={emoji.words}
              title={emoji.words}
              onClick={() => pick(emoji.sign)}
            >
              {emoji.sign}
            </button>
          )}
        </For>
      </div>
      <Show when={query() === ''}>
        <p class="hint">Arrow keys move, Enter picks.</p>
      </Show>
    </div>
  );
}

/** Moves the focus in the grid; returns whether it did. */
function moveIn(event: KeyboardEvent, buttons: readonly HTMLElement[], field: HTMLElement | undefined): boolean {
  const at = buttons.indexOf(event.target as HTMLElement);
  const step = stepOf(event.key);
  if (step === undefined || (at < 0 && event.key !== 'ArrowDown')) return false;
  const next = at < 0 ? 0 : at + step;
  (next < 0 ? field : buttons[Math.min(next, buttons.length - 1)])?.focus();
  return true;
}

function stepOf(key: string): number | undefined {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };
  return steps[key];
}
