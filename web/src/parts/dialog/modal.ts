/** Opens a modal dialog while its owner is mounted, and returns the focus afterwards. */
import { onCleanup, onMount } from 'solid-js';
import { giveFocus } from '../../platform/focus';

/** `first` chooses the element with the initial focus; otherwise the browser does. */
export function openModal(
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
    // The element may be unmounted, like a message that was scrolled away.
    if (!before.isConnected) return void giveFocus('messages');
    // Closing has returned the focus, but the caret is still in the removed field: typing would have no effect.
    before.blur();
    before.focus();
  });
}
