/** The dialog of the palette: centred on desktops, full screen on phones. */
import type { JSX } from 'solid-js';
import { openModal } from '../parts/dialog/modal';

export function PaletteFrame(props: { onClose(): void; children: JSX.Element }) {
  let dialog: HTMLDialogElement | undefined;
  openModal(
    () => dialog,
    (element) => element.querySelector('input'),
  );
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
