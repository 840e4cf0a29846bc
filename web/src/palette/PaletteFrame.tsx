/** The dialog around the palette: over the page on a desk, the whole screen on a phone. Focus goes in and comes back. */
import { type JSX, onCleanup, onMount } from 'solid-js';

export function PaletteFrame(props: { onClose(): void; children: JSX.Element }) {
  let dialog: HTMLDialogElement | undefined;
  const before = document.activeElement;
  onMount(() => {
    dialog?.showModal();
    dialog?.querySelector('input')?.focus();
  });
  onCleanup(() => {
    dialog?.close();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  return (
    <dialog
      class="palette"
      aria-label="Find"
      ref={dialog}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onMouseDown={(event) => event.target === dialog && props.onClose()}
    >
      {props.children}
    </dialog>
  );
}
