/** Keeps the focus inside a part of the page whose content changes. */
import { type Accessor, createEffect, createRenderEffect, on } from 'solid-js';

/** Moves the focus to `refuge` when the focused element disappears after one of `changes`. */
export function restoreFocus(
  inside: () => HTMLElement | undefined,
  refuge: () => HTMLElement | undefined,
  changes: readonly Accessor<unknown>[],
): void {
  let hadFocus: Element | undefined;
  const note = () => {
    const active = document.activeElement;
    hadFocus = active && inside()?.contains(active) ? active : undefined;
  };
  const track = () => changes.map((change) => change());
  // The first effect runs before elements are removed, the second after the update.
  createRenderEffect(on(track, note));
  createEffect(
    on(track, () => {
      if (hadFocus && !hadFocus.isConnected) refuge()?.focus();
    }),
  );
}
