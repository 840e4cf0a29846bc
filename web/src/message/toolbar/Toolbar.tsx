/**
 * The toolbar of a message, shown while the row is hovered, focused or long-pressed.
 *
 * Created only then, so that scrolling stays cheap.
 */
import { createSignal, For, onCleanup, onMount, Show, untrack } from 'solid-js';
import { Icon, type IconName } from '../../parts/Icon';
import { MenuButton, type MenuEntry } from '../../parts/menu/Menu';
import { QUICK_REACTIONS } from '../reactions/emoji';
import { ReactionPicker } from '../reactions/ReactionPicker';
import { type Row, rowKeyOf } from '../row';
import { isFocused, pin } from './active_row';
import { DeleteDialog } from './DeleteDialog';
import { MessageShortcuts } from './MessageShortcuts';
import { placeToolbar } from './toolbar_position';
import { type MessageActions, useMessageActions } from './use_message_actions';
import './Toolbar.css';

export function Toolbar(props: { row: Row }) {
  const actions = useMessageActions(props.row);
  const [picker, setPicker] = createSignal<HTMLElement>();
  let react: HTMLButtonElement | undefined;
  /** Keeps the toolbar while a menu is open: on the way there the pointer may leave the row. */
  const hold = (isOpen: boolean) => pin(isOpen ? rowKeyOf(props.row) : undefined);
  const pick = (anchor: HTMLElement | undefined) => {
    setPicker(anchor);
    hold(anchor !== undefined);
  };
  let bar: HTMLDivElement | undefined;
  // Also after the answer has ended: the toolbar must not jump away from the pointer.
  const growth = untrack(() => props.row.message().state) === 'streaming' ? 'growing' : 'fixed';
  onMount(() => bar && keepInPlace(bar, growth));
  // The row may be unmounted with its menu open.
  onCleanup(() => hold(false));
  return (
    <div class="message-toolbar" role="toolbar" aria-label="Actions" ref={bar}>
      <Show when={actions.permissions().react}>
        <QuickReactions actions={actions} />
        <button
          type="button"
          ref={react}
          class="icon-button"
          aria-label="React"
          title="React (A)"
          aria-expanded={picker() !== undefined}
          onClick={(event) => pick(picker() ? undefined : event.currentTarget)}
        >
          <Icon name="emoji" size={16} />
        </button>
      </Show>
      <Replies row={props.row} actions={actions} />
      <MenuButton label="More" align="end" entries={entriesOf(actions)} onToggle={hold}>
        <Icon name="more" size={16} />
      </MenuButton>
      <Show when={picker()}>
        {(anchor) => (
          <ReactionPicker
            anchor={anchor()}
            onPick={(sign) => void actions.react(sign)}
            onClose={() => pick(undefined)}
          />
        )}
      </Show>
      <Show when={isFocused(rowKeyOf(props.row))}>
        <MessageShortcuts actions={actions} onReact={() => pick(react)} />
      </Show>
      <DeleteDialog row={props.row} actions={actions} />
    </div>
  );
}

type Growth = 'fixed' | 'growing';

/** Places the toolbar, again whenever the row or the bubble gets another size. */
function keepInPlace(bar: HTMLElement, growth: Growth): void {
  const row = bar.parentElement;
  if (!row) return;
  const bubble = () => row.querySelector('.message-bubble, .question, .tool, .message-note');
  const place = () => {
    const box = bubble();
    if (box) setPosition(bar, row, box, growth);
  };
  place();
  const observer = new ResizeObserver(place);
  for (const one of [row, bubble()]) if (one) observer.observe(one);
  onCleanup(() => observer.disconnect());
}

function setPosition(bar: HTMLElement, row: HTMLElement, bubble: Element, growth: Growth): void {
  bar.toggleAttribute('data-compact', false);
  const side = getComputedStyle(row).getPropertyValue('--body-side') === 'end' ? 'end' : 'start';
  const quick = [...bar.querySelectorAll<HTMLElement>('.message-quick')];
  const compactWidth = bar.offsetWidth - quick.reduce((width, button) => width + button.offsetWidth, 0);
  const size = { width: bar.offsetWidth, compactWidth, height: bar.offsetHeight };
  const position = placeToolbar(bubble.getBoundingClientRect(), row.getBoundingClientRect(), size, side, growth);
  bar.toggleAttribute('data-compact', position.isCompact);
  bar.style.left = `${position.left}px`;
  bar.style.top = `${position.top}px`;
}

function QuickReactions(props: { actions: MessageActions }) {
  return (
    <For each={QUICK_REACTIONS}>
      {(emoji) => (
        <button
          type="button"
          class="icon-button message-quick"
          aria-label={`React with ${emoji.words}`}
          title={emoji.words}
          onClick={() => void props.actions.react(emoji.sign)}
        >
          {emoji.sign}
        </button>
      )}
    </For>
  );
}

function Replies(props: { row: Row; actions: MessageActions }) {
  return (
    <>
      <Show when={props.actions.permissions().thread}>
        <ToolbarButton icon="thread" label="Reply in a thread" run={() => void props.actions.openThread()} />
      </Show>
      <Show when={props.actions.permissions().quote}>
        <ToolbarButton icon="quote" label="Quote and reply" run={props.actions.quote} />
      </Show>
      <Show when={props.actions.permissions().stop}>
        <ToolbarButton icon="stop" label="Stop the answer" run={() => void props.actions.stop()} />
      </Show>
    </>
  );
}

function ToolbarButton(props: { icon: IconName; label: string; run(): void }) {
  let button: HTMLButtonElement | undefined;
  // "Stop" disappears with the end of the answer: the row keeps the focus.
  onCleanup(() => button && button === document.activeElement && button.closest('article')?.focus());
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={props.label}
      title={props.label}
      ref={button}
      onClick={() => props.run()}
    >
      <Icon name={props.icon} size={16} />
    </button>
  );
}

/** Actions that are rare or cannot be undone are in the menu. */
function entriesOf(actions: MessageActions): MenuEntry[] {
  const { edit, remove } = actions.permissions();
  return [
    { label: 'Copy the text', icon: 'copy', detail: 'C', run: () => void actions.copy() },
    { label: 'Copy the link', icon: 'link', run: () => void actions.copyLink() },
    ...(actions.hasTask() ? [{ label: 'Timeline of the task', icon: 'clock' as const, run: actions.showTask }] : []),
    ...(actions.hasDeliveries() ? [{ label: 'Deliveries', icon: 'send' as const, run: actions.deliveries }] : []),
    ...(edit ? [{ label: 'Edit', icon: 'edit' as const, detail: 'E', run: actions.edit }] : []),
    ...(remove ? [{ type: 'line' as const }] : []),
    ...(remove ? [{ label: 'Delete…', icon: 'trash' as const, isDanger: true, run: actions.askToRemove }] : []),
  ];
}
