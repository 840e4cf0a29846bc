/** Shows the open dialog. */
import { onCleanup, onMount, Show } from 'solid-js';
import { Confirm } from '../parts/dialog/Confirm';
import { lazyPart } from '../parts/loading/lazy_part';
import { closeDialog, dialogRequest } from './open_dialog';

const DialogSwitch = lazyPart(() => import('./DialogSwitch').then((file) => file.DialogSwitch), MissingDialog);

export function Dialogs() {
  // Going back closes the dialog, as people on phones expect.
  onMount(() => {
    addEventListener('popstate', closeDialog);
    onCleanup(() => removeEventListener('popstate', closeDialog));
  });
  return <Show when={dialogRequest()}>{(request) => <DialogSwitch request={request()} />}</Show>;
}

function MissingDialog() {
  return (
    <Confirm
      title="This dialog could not be loaded"
      act="Reload the page"
      kind="main"
      onConfirm={() => location.reload()}
      onClose={closeDialog}
    >
      The hub may be unreachable, or newer than this page. Your drafts are kept.
    </Confirm>
  );
}
