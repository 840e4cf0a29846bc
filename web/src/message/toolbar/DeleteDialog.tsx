/** Asks before a message is deleted, and shows what will be gone. */
import { Show } from 'solid-js';
import { Confirm } from '../../parts/Confirm';
import type { Row } from '../row';
import type { Deeds } from './use_message_actions';

export function RemoveDialog(props: { row: Row; deeds: Deeds }) {
  return (
    <Show when={props.deeds.isRemoving()}>
      <Confirm
        title="Delete this message?"
        act="Delete"
        onConfirm={() => props.deeds.remove()}
        onClose={props.deeds.keep}
      >
        <p>Its text is gone for everybody, and cannot be brought back. Its place and its thread stay.</p>
        <blockquote class="message-to-remove">{props.row.message().body || 'No text.'}</blockquote>
      </Confirm>
    </Show>
  );
}
