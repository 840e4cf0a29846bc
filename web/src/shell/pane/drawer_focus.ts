/** Keeps the focus inside an open drawer and returns it afterwards. The rest of the page is `inert`. */
import { createEffect, on, onCleanup } from 'solid-js';

const FOCUSABLE = 'a[href], button:not(:disabled), input, textarea, select, [tabindex="0"]';

export function keepFocusInside(isOpen: () => boolean, drawer: () => HTMLElement | undefined): void {
  createEffect(
    on(isOpen, (open) => {
      if (!open) return;
      const before = document.activeElement;
      // The content may take the focus itself, as a composer does.
      queueMicrotask(() => holdsFocus(drawer()) || focusFirst(drawer()));
      onCleanup(() => {
        const here = document.activeElement;
        if (here !== document.body && !holdsFocus(drawer())) return;
        // Elements behind the drawer take no focus until `inert` is removed.
        queueMicrotask(() => before instanceof HTMLElement && before.isConnected && before.focus());
      });
    }),
  );
}

export function holdsFocus(element: HTMLElement | undefined): boolean {
  return element?.contains(document.activeElement) ?? false;
}

/** Focuses the first element that accepts it, or the drawer itself. */
function focusFirst(drawer: HTMLElement | undefined): void {
  for (const candidate of drawer?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? []) {
    candidate.focus();
    if (document.activeElement === candidate) return;
  }
  drawer?.focus();
}
