/**
 * Which rows show their toolbar: hovered, focused, long-pressed, or with an open menu. The page has one listener for
 * all rows.
 */
import { createRoot, createSelector, createSignal } from 'solid-js';
import { rowKey } from '../row';

const LONG_PRESS_MS = 450;
/** A larger movement is scrolling. */
const HOLD_PX_MAX = 10;

const state = createRoot(() => {
  const [hovered, setHovered] = createSignal<string>();
  const [focused, setFocused] = createSignal<string>();
  const [marked, setMarked] = createSignal<string>();
  const [touched, setTouched] = createSignal<string>();
  const [pinned, setPinned] = createSignal<string>();
  const [isTouch, setTouch] = createSignal(false);
  return {
    ...{ setHovered, setFocused, setMarked, setTouched, setPinned, isTouch, setTouch, touched },
    isHovered: createSelector(hovered),
    isFocused: createSelector(focused),
    isMarked: createSelector(marked),
    isTouched: createSelector(touched),
    isPinned: createSelector(pinned),
  };
});

/** Whether the focus is in this row. */
export const isFocused = (key: string): boolean => state.isFocused(key);

/** Whether this row shows its toolbar. */
export const isActive = (key: string): boolean =>
  state.isHovered(key) || state.isMarked(key) || state.isTouched(key) || state.isPinned(key);

/** The device has no hover: rows show a button for their actions. */
export const isTouch = state.isTouch;

/** Keeps the toolbar of a row while a menu of it is open. */
export const pin = (key: string | undefined): void => void state.setPinned(key);

/** Toggles the toolbar of a row on a touch screen. */
export function toggleTouched(key: string): void {
  state.setTouched((now) => (now === key ? undefined : key));
}

/** Returns the row of an event target, so that rows need no listeners. */
function keyAt(target: EventTarget | null): string | undefined {
  const article = target instanceof Element ? target.closest<HTMLElement>('article.message') : null;
  return article ? rowKey(article.dataset.scope ?? '', article.dataset.id ?? '') : undefined;
}

function watchPointer(): void {
  addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'touch') state.setHovered(keyAt(event.target));
  });
  document.addEventListener('pointerleave', () => state.setHovered(undefined));
}

/** Tracks the focused row, and whether the keyboard is used. */
function watchFocus(): void {
  addEventListener('focusin', (event) => {
    const key = keyAt(event.target);
    state.setFocused(key);
    // A click focuses too, but only keyboard users need to see the toolbar.
    state.setMarked((event.target as Element).matches(':focus-visible') ? key : undefined);
  });
  // The first key in a clicked row counts as keyboard use, in time for shortcuts.
  const onKey = () => {
    const key = keyAt(document.activeElement);
    state.setFocused(key);
    state.setMarked(key);
  };
  addEventListener('keydown', onKey, { capture: true });
  addEventListener('focusout', (event) => {
    if (event.relatedTarget) return;
    state.setFocused(undefined);
    state.setMarked(undefined);
  });
}

/** Tracks long presses. */
function watchTouch(): void {
  const noHover = matchMedia('(hover: none)');
  state.setTouch(noHover.matches);
  noHover.addEventListener('change', () => state.setTouch(noHover.matches));
  let hold: { timer: ReturnType<typeof setTimeout>; x: number; y: number } | undefined;
  /** The press that opened the toolbar must not follow a link. */
  let hasOpened = false;
  const release = () => {
    clearTimeout(hold?.timer);
    hold = undefined;
  };
  const open = (key: string) => {
    hasOpened = true;
    state.setTouched(key);
  };
  addEventListener('pointerdown', (event) => {
    release();
    hasOpened = false;
    const key = keyAt(event.target);
    if (key !== state.touched()) state.setTouched(undefined);
    if (event.pointerType !== 'touch' || !key) return;
    hold = { timer: setTimeout(() => open(key), LONG_PRESS_MS), x: event.clientX, y: event.clientY };
  });
  addEventListener('pointermove', (event) => {
    if (hold && Math.hypot(event.clientX - hold.x, event.clientY - hold.y) > HOLD_PX_MAX) release();
  });
  for (const end of ['pointerup', 'pointercancel'] as const) addEventListener(end, release);
  const swallow = (event: Event) => {
    if (!hasOpened) return;
    event.preventDefault();
    event.stopPropagation();
    hasOpened = false;
  };
  addEventListener('click', swallow, { capture: true });
  addEventListener('contextmenu', (event) => (hold || hasOpened) && event.preventDefault());
}

watchPointer();
watchFocus();
watchTouch();
