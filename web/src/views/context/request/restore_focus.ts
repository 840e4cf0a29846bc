/** Keeps the keyboard inside a part of the page whose content changes under it. */
import { type Accessor, createEffect, createRenderEffect, on } from 'solid-js';

/** Whoever had the focus on something that is gone after one of `changes` finds it on `refuge`. */
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
  // The first runs with the change, before what it takes away is gone; the second when the page is as it will be.
  createRenderEffect(on(track, note));
  createEffect(
    on(track, () => {
      if (hadFocus && !hadFocus.isConnected) refuge()?.focus();
    }),
  );
}
