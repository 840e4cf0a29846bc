/** Keyboard navigation in the list: one tab stop, and keys that move between messages. */
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import { kindOf } from './rows/rows';
import { anchorInView, type Geometry, lastSeen } from './scroll/scroll_anchor';
import type { Scroller } from './scroll/scroller';

export interface ListKeyboard {
  /** The message that has, or last had, the focus. */
  readonly current: Accessor<string | undefined>;
  /** Sets the message from which keys continue. */
  setCurrent(id: string | undefined): void;
  /** Focuses the next or previous message and scrolls to it; returns false at the ends of the list. */
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

/** Returns the message after or before another; without one, the last visible message. */
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

/** Returns the id of the message that contains an element. */
export function messageAt(target: EventTarget | Node | null): string | undefined {
  const element = target instanceof Element ? target : target instanceof Node ? target.parentElement : null;
  return element?.closest<HTMLElement>('article.message')?.dataset.id;
}

/**
 * Makes the list one tab stop: while Tab is handled, only the focused message can take the focus.
 *
 * Tab leads from the list to the next part of the page, and inside a message through its links and buttons.
 */
export function passTab(viewport: HTMLElement, event: KeyboardEvent): void {
  if (event.key !== 'Tab') return;
  const rows = [...viewport.querySelectorAll<HTMLElement>('.list-row')];
  const others = rows.filter((row) => !(event.target instanceof Node && row.contains(event.target)));
  for (const row of others) row.inert = true;
  // The browser moves the focus after all listeners and before the next task.
  setTimeout(() => {
    for (const row of others) row.inert = false;
  });
}

/**
 * Makes Shift+Tab from the part after the list focus the list instead of the last link of the last message, until the
 * returned function is called.
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
  // Before any other listener treats the message as the focused one.
  viewport.addEventListener('focusin', onFocus, { signal, capture: true });
  return () => end.abort();
}

/** Returns the ids of the messages in which the selection starts and ends; unmounting them would end the selection. */
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
