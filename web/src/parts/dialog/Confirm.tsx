/** A confirmation dialog. The safe button has the focus. */
import { createSignal, type JSX, Show } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { Dialog } from './Dialog';

export function Confirm(props: {
  title: string;
  /** The consequence, in a sentence. */
  children: JSX.Element;
  /** The label of the button: "Delete". */
  act: string;
  kind?: 'danger' | 'main';
  /** May reject: then the dialog stays open and shows the refusal. */
  onConfirm(): Promise<unknown> | unknown;
  onClose(): void;
}) {
  const [isBusy, setBusy] = createSignal(false);
  const [problem, setProblem] = createSignal('');
  const confirm = async () => {
    setBusy(true);
    setProblem('');
    try {
      await props.onConfirm();
      props.onClose();
    } catch (thrown) {
      setProblem(toRefusal(thrown).message);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <button type="button" class="button" onClick={() => props.onClose()}>
        Cancel
      </button>
      <button
        type="button"
        class="button"
        data-kind={props.kind ?? 'danger'}
        disabled={isBusy()}
        onClick={() => void confirm()}
      >
        {props.act}
      </button>
    </>
  );
  return (
    <Dialog title={props.title} onClose={() => props.onClose()} footer={footer}>
      {props.children}
      <Show when={problem()}>
        <p class="problem" role="alert">
          {problem()}
        </p>
      </Show>
    </Dialog>
  );
}
