/** The keyboard in a drawer: inside while it is open, back where it was after. What lies behind is `inert`. */
import { createEffect, on, onCleanup } from 'solid-js';

const FOCUSABLE = 'a[href], button:not(:disabled), input, textarea, select, [tabindex="0"]';

/** Follows a drawer until the owner is gone. */
export function keepFocusInside(isOpen: () => boolean, drawer: () => HTMLElement | undefined): void {
  createEffect(
    on(isOpen, (open) => {
      if (!open) return;
      const before = document.activeElement;
      // What is inside may take the focus itself, as a composer does.
      queueMicrotask(() => holdsFocus(drawer()) || focusFirst(drawer()));
      onCleanup(() => {
        const here = document.activeElement;
        if (here !== document.body && !holdsFocus(drawer())) return;
        // Behind the drawer nothing takes the focus until `inert` is gone.
        queueMicrotask(() => before instanceof HTMLElement && before.isConnected && before.focus());
      });
    }),
  );
}

/** Whether the focus is inside an element. */
export function holdsFocus(element: HTMLElement | undefined): boolean {
  return element?.contains(document.activeElement) ?? false;
}

/** The first thing that takes the focus, or the drawer itself: what is hidden or still loading takes none. */
function focusFirst(drawer: HTMLElement | undefined): void {
  for (const candidate of drawer?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? []) {
    candidate.focus();
    if (document.activeElement === candidate) return;
  }
  drawer?.focus();
}
