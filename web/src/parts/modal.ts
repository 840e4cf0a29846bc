/** Opens a dialog above the page for as long as its owner stands: the focus goes in, and comes back after. */
import { onCleanup, onMount } from 'solid-js';
import { giveFocus } from '../platform/focus';

/** `first` chooses what has the focus at the beginning; without it the browser does. */
export function standModal(
  dialog: () => HTMLDialogElement | undefined,
  first: (dialog: HTMLDialogElement) => HTMLElement | null = () => null,
): void {
  const before = document.activeElement;
  onMount(() => {
    const element = dialog();
    element?.showModal();
    if (element) first(element)?.focus();
  });
  onCleanup(() => {
    dialog()?.close();
    if (!(before instanceof HTMLElement)) return;
    // What had the focus may be gone, as a message that is far out of sight.
    if (!before.isConnected) return void giveFocus('messages');
    // Closing has given back the focus, but the caret is still in the field that goes: a field would take no letter.
    before.blur();
    before.focus();
  });
}
