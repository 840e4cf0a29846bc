/**
 * What can be done with a message: beside it while the pointer, the keyboard or a finger is on it.
 *
 * It is made only then, so that rows which scroll by cost nothing for it.
 */
import { createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { Icon, type IconName } from '../../parts/Icon';
import { MenuButton, type MenuEntry } from '../../parts/Menu';
import { QUICK } from '../reactions/emoji';
import { ReactionPicker } from '../reactions/ReactionPicker';
import { keyOf, type Row } from '../row';
import { isFocused, pin } from './active_row';
import { RemoveDialog } from './DeleteDialog';
import { Keys } from './MessageShortcuts';
import { placeToolbar } from './toolbar_position';
import { type Deeds, useDeeds } from './use_message_actions';
import './Toolbar.css';

export function Toolbar(props: { row: Row }) {
  const deeds = useDeeds(props.row);
  const [picker, setPicker] = createSignal<HTMLElement>();
  let react: HTMLButtonElement | undefined;
  /** What is open outlives the pointer: on the way to a menu it may leave the row. */
  const hold = (isOpen: boolean) => pin(isOpen ? keyOf(props.row) : undefined);
  const pick = (anchor: HTMLElement | undefined) => {
    setPicker(anchor);
    hold(anchor !== undefined);
  };
  let bar: HTMLDivElement | undefined;
  onMount(() => bar && setPlace(bar));
  // The row may leave the page with its menu open.
  onCleanup(() => hold(false));
  return (
    <div class="message-toolbar" role="toolbar" aria-label="Actions" ref={bar}>
      <Show when={deeds.permit().react}>
        <QuickReactions deeds={deeds} />
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
      <Replies row={props.row} deeds={deeds} />
      <MenuButton label="More" align="end" entries={entriesOf(deeds)} onToggle={hold}>
        <Icon name="more" size={16} />
      </MenuButton>
      <Show when={picker()}>
        {(anchor) => (
          <ReactionPicker anchor={anchor()} onPick={(sign) => void deeds.react(sign)} onClose={() => pick(undefined)} />
        )}
      </Show>
      <Show when={isFocused(keyOf(props.row))}>
        <Keys deeds={deeds} onReact={() => pick(react)} />
      </Show>
      <RemoveDialog row={props.row} deeds={deeds} />
    </div>
  );
}

/** Once, when it appears: it must not run after a bubble that grows. */
function setPlace(bar: HTMLElement): void {
  const row = bar.parentElement;
  const bubble = row?.querySelector('.message-bubble, .question, .tool, .message-note');
  if (!row || !bubble) return;
  const side = getComputedStyle(row).getPropertyValue('--body-side') === 'end' ? 'end' : 'start';
  const size = { width: bar.offsetWidth, height: bar.offsetHeight };
  const place = placeToolbar(bubble.getBoundingClientRect(), row.getBoundingClientRect(), size, side);
  bar.style.left = `${place.left}px`;
  bar.style.top = `${place.top}px`;
}

function QuickReactions(props: { deeds: Deeds }) {
  return (
    <For each={QUICK}>
      {(emoji) => (
        <button
          type="button"
          class="icon-button message-quick"
          aria-label={`React with ${emoji.words}`}
          title={emoji.words}
          onClick={() => void props.deeds.react(emoji.sign)}
        >
          {emoji.sign}
        </button>
      )}
    </For>
  );
}

function Replies(props: { row: Row; deeds: Deeds }) {
  return (
    <>
      <Show when={props.deeds.permit().thread}>
        <Act icon="thread" label="Reply in a thread" run={() => void props.deeds.openThread()} />
      </Show>
      <Show when={props.deeds.permit().quote}>
        <Act icon="quote" label="Quote and reply" run={props.deeds.quote} />
      </Show>
      <Show when={props.deeds.permit().stop}>
        <Act icon="stop" label="Stop the answer" run={() => void props.deeds.stop()} />
      </Show>
    </>
  );
}

function Act(props: { icon: IconName; label: string; run(): void }) {
  return (
    <button type="button" class="icon-button" aria-label={props.label} title={props.label} onClick={() => props.run()}>
      <Icon name={props.icon} size={16} />
    </button>
  );
}

/** What is done seldom, or cannot be undone, is one step further away. */
function entriesOf(deeds: Deeds): MenuEntry[] {
  const { edit, remove } = deeds.permit();
  return [
    { label: 'Copy the text', icon: 'copy', detail: 'C', run: () => void deeds.copy() },
    { label: 'Copy the link', icon: 'link', run: () => void deeds.copyLink() },
    ...(deeds.hasTask() ? [{ label: 'Timeline of the task', icon: 'clock' as const, run: deeds.showTask }] : []),
    ...(deeds.hasDeliveries() ? [{ label: 'Deliveries', icon: 'send' as const, run: deeds.deliveries }] : []),
    ...(edit ? [{ label: 'Edit', icon: 'edit' as const, detail: 'E', run: deeds.edit }] : []),
    ...(remove ? [{ type: 'line' as const }] : []),
    ...(remove ? [{ label: 'Delete …', icon: 'trash' as const, isDanger: true, run: deeds.askToRemove }] : []),
  ];
}
