/** A button that opens a menu, and the menu, for keyboard, pointer and screen readers. */
import { createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import { showPopoverAt } from '../popover/popover';
import { Entry, type MenuEntry } from './MenuEntry';
import { Typeahead } from './typeahead';
import './Menu.css';

export type { MenuEntry } from './MenuEntry';

/** A button with a menu. `children` is the visible content, `label` the accessible name. */
export function MenuButton(props: {
  label: string;
  entries: readonly MenuEntry[];
  children: JSX.Element;
  class?: string;
  align?: 'start' | 'end';
  /** Called when it opens and closes. */
  onToggle?(isOpen: boolean): void;
}) {
  const [isOpen, setOpen] = createSignal(false);
  let button: HTMLButtonElement | undefined;
  const toggle = (next: boolean) => {
    setOpen(next);
    props.onToggle?.(next);
  };
  return (
    <>
      <button
        type="button"
        ref={button}
        class={props.class ?? 'icon-button'}
        aria-label={props.label}
        aria-haspopup="menu"
        aria-expanded={isOpen()}
        title={props.label}
        onClick={() => toggle(!isOpen())}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          toggle(true);
        }}
      >
        {props.children}
      </button>
      <Show when={isOpen() && button}>
        {(anchor) => (
          <Menu
            label={props.label}
            entries={props.entries}
            anchor={anchor()}
            align={props.align}
            onClose={() => toggle(false)}
          />
        )}
      </Show>
    </>
  );
}

/** An open menu beside its anchor. Takes the focus and returns it to the anchor when it closes. */
export function Menu(props: {
  label: string;
  entries: readonly MenuEntry[];
  anchor: HTMLElement;
  align?: 'start' | 'end' | undefined;
  onClose(): void;
}) {
  const typed = new Typeahead();
  let menu: HTMLDivElement | undefined;
  const items = () => [...(menu?.querySelectorAll<HTMLElement>('[role^=menuitem]:not(:disabled)') ?? [])];
  const close = (returnsFocus: boolean) => {
    if (returnsFocus) props.anchor.focus();
    props.onClose();
  };
  const pick = (run: () => void) => {
    // Closes first, so that what the entry opens returns the focus to the button.
    close(true);
    run();
  };
  const focusAt = (index: number) =>
    items()
      .at(index % items().length)
      ?.focus();
  const onKeyDown = (event: KeyboardEvent) => {
    const at = items().indexOf(document.activeElement as HTMLElement);
    const done = moveInMenu(event, at, { focusAt, typed, labels: () => items().map(labelOf), close });
    if (done) event.preventDefault();
    event.stopPropagation();
  };
  onMount(() => {
    if (!menu) return;
    onCleanup(
      showPopoverAt(menu, { anchor: props.anchor, align: props.align ?? 'start', onLeave: () => close(false) }),
    );
    (menu.querySelector<HTMLElement>('[aria-checked=true]') ?? items()[0])?.focus();
  });
  return (
    <div
      class="menu popover"
      popover="manual"
      role="menu"
      tabindex="-1"
      aria-label={props.label}
      ref={menu}
      onKeyDown={onKeyDown}
    >
      <For each={props.entries}>{(entry) => <Entry entry={entry} onPick={pick} />}</For>
    </div>
  );
}

type Movement = {
  focusAt(index: number): void;
  typed: Typeahead;
  labels(): string[];
  close(returnsFocus: boolean): void;
};

/** Handles a key inside a menu; returns true when the browser should not. */
function moveInMenu(event: KeyboardEvent, at: number, menu: Movement): boolean {
  switch (event.key) {
    case 'ArrowDown':
      menu.focusAt(at + 1);
      return true;
    case 'ArrowUp':
      menu.focusAt(at <= 0 ? -1 : at - 1);
      return true;
    case 'Home':
      menu.focusAt(0);
      return true;
    case 'End':
      menu.focusAt(-1);
      return true;
    case 'Escape':
      menu.close(true);
      return true;
    case 'Tab':
      // The browser continues from the button.
      menu.close(true);
      return false;
  }
  if ([...event.key].length !== 1 || event.key === ' ' || event.ctrlKey || event.metaKey) return false;
  const found = menu.typed.find(event.key, event.timeStamp, menu.labels(), at);
  if (found !== undefined) menu.focusAt(found);
  return true;
}

function labelOf(item: HTMLElement): string {
  return item.querySelector('.menu-label')?.textContent ?? '';
}
