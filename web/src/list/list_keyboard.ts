/** The keyboard in the list: one stop for Tab, and keys that go from message to message. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { kindOf } from './rows/rows';
import { anchorInView, type Geometry, lastSeen } from './scroll/scroll_anchor';
import type { Scroller } from './scroll/scroller';

export interface ListKeyboard {
  /** The message with the focus, or the one that had it last. */
  readonly current: Accessor<string | undefined>;
  /** Makes a message the one from which keys go on. */
  setCurrent(id: string | undefined): void;
  /** Gives the focus to the next or previous message, and brings it into sight; false at the ends of the list. */
  move(step: 1 | -1): boolean;
}

export function createListKeyboard(viewport: () => HTMLElement | undefined, scroller: Scroller): ListKeyboard {
  const [current, setCurrent] = createSignal<string>();
  return {
    current,
    setCurrent,
    move(step) {
      const geometry = scroller.geometry();
      const next = geometry && nextMessage(geometry, current(), step);
      if (!geometry || next === undefined) return false;
      setCurrent(next);
      const hold = anchorInView(geometry, next);
      if (step < 0) scroller.turn('up');
      if (hold) scroller.go(hold);
      articleOf(viewport(), next)?.focus({ preventScroll: true });
      return true;
    },
  };
}

/** The message after or before another; without another, one that is seen: the last for the way up and down alike. */
export function nextMessage(geometry: Geometry, from: string | undefined, step: 1 | -1): string | undefined {
  const { keys } = geometry;
  const start = from === undefined ? -1 : keys.indexOf(from);
  if (start < 0) return lastSeen(geometry) ?? keys.find((key) => kindOf(key) === 'message');
  for (let index = start + step; index >= 0 && index < keys.length; index += step) {
    const key = keys[index] ?? '';
    if (kindOf(key) === 'message') return key;
  }
  return undefined;
}

/** The id of the message that an element belongs to. */
export function messageAt(target: EventTarget | Node | null): string | undefined {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
  return element?.closest<HTMLElement>('article.message')?.dataset.id;
}

/**
 * Makes the list one stop for Tab: while that key does its work, only the message with the focus can take it.
 *
 * So Tab goes from the list on to what follows it, and from a message through its own links and buttons.
 */
export function passTab(viewport: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab') return;
  const rows = [...viewport.querySelectorAll<HTMLElement>('.list-row')];
  const others = rows.filter((row) => !(event.target instanceof Node && row.contains(event.target)));
  for (const row of others) row.inert = true;
  // The browser moves the focus after all listeners, and before the next task.
  setTimeout(() => {
    for (const row of others) row.inert = false;
  });
}

/**
 * The other way round: Shift+Tab from what follows the list would land on the last link of the last message. It lands on
 * the list instead, until the returned function is called.
 */
export function takeTab(viewport: HTMLElement): () => void {
  let isTabbing = false;
  const end = new AbortController();
  const { signal } = end;
  const onKey = (event: KeyboardEvent) => {
    isTabbing = event.key === 'Tab' && !(event.target instanceof Node && viewport.contains(event.target));
    if (isTabbing) {
      setTimeout(() => {
        isTabbing = false;
      });
    }
  };
  document.addEventListener('keydown', onKey, { signal, capture: true });
  const onFocus = (event: FocusEvent) => {
    if (!isTabbing || event.target === viewport) return;
    event.stopPropagation();
    viewport.focus();
  };
  // Before anybody takes the message for the one that was meant.
  viewport.addEventListener('focusin', onFocus, { signal, capture: true });
  return () => end.abort();
}

/** Ids of the messages in which the reader's selection begins and ends: taking them away would end the selection. */
export function createSelected(viewport: () => HTMLElement | undefined): Accessor<readonly string[]> {
  const [selected, setSelected] = createSignal<readonly string[]>([]);
  const onChange = () => {
    const selection = document.getSelection();
    const isHere = selection && !selection.isCollapsed && viewport()?.contains(selection.anchorNode);
    const ends = isHere ? [messageAt(selection.anchorNode), messageAt(selection.focusNode)] : [];
    const ids = ends.filter((id) => id !== undefined);
    if (ids.length > 0 || selected().length > 0) setSelected(ids);
  };
  document.addEventListener('selectionchange', onChange);
  onCleanup(() => document.removeEventListener('selectionchange', onChange));
  return selected;
}

function articleOf(viewport: HTMLElement | undefined, id: string): HTMLElement | null | undefined {
  return viewport?.querySelector<HTMLElement>(`article.message[data-id="${CSS.escape(id)}"]`);
}
