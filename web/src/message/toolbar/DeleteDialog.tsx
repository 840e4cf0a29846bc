/** Asks before a message is deleted and shows its text. */
import { Show } from 'solid-js';
import { Confirm } from '../../parts/dialog/Confirm';
import type { Row } from '../row';
import type { MessageActions } from './use_message_actions';

export function DeleteDialog(props: { row: Row; actions: MessageActions }) {
  return (
    <Show when={props.actions.isRemoving()}>
      <Confirm
        title="Delete this message?"
        act="Delete"
        onConfirm={() => props.actions.remove()}
        onClose={props.actions.keep}
      >
        <p>This deletes the text for everyone and cannot be undone. The thread stays.</p>
        <blockquote class="message-to-remove">{props.row.message().body || 'No text.'}</blockquote>
      </Confirm>
    </Show>
  );
}
