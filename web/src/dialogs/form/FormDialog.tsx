/** A dialog with a form. When the hub refuses, it stays open with everything that was typed. */
import { createSignal, createUniqueId, type JSX, Show } from 'solid-js';
import { type Refusal, toRefusal } from '../../api/refusal';
import { Dialog } from '../../parts/dialog/Dialog';
import { RefusalText } from './RefusalText';
import '../dialogs.css';

export function FormDialog(props: {
  title: string;
  about?: JSX.Element;
  /** The label of the button. */
  submit: string;
  isReady: boolean;
  act(): Promise<unknown>;
  onClose(): void;
  /** Fields that show refusals about them themselves. */
  fields?: readonly string[];
  children: (refusal: () => Refusal | undefined) => JSX.Element;
}) {
  const form = createForm(() => props.act());
  const id = createUniqueId();
  return (
    <Dialog
      title={props.title}
      about={props.about}
      onClose={() => props.onClose()}
      footer={
        <>
          <button type="button" class="button" onClick={() => props.onClose()}>
            Cancel
          </button>
          <button type="submit" class="button" data-kind="main" form={id} disabled={!props.isReady || form.isBusy()}>
            {props.submit}
          </button>
        </>
      }
    >
      <form id={id} class="dialog-form" onSubmit={form.submit} onInput={form.forget}>
        {props.children(form.refusal)}
        <Show when={refusalOutside(form.refusal(), props.fields)}>
          {(refusal) => <RefusalText refusal={refusal()} />}
        </Show>
      </form>
    </Dialog>
  );
}

/** A form that sends once at a time and keeps the last refusal until something is typed. */
export function createForm(act: () => Promise<unknown>) {
  const [isBusy, setBusy] = createSignal(false);
  const [refusal, setRefusal] = createSignal<Refusal>();
  const send = async () => {
    if (isBusy()) return;
    setBusy(true);
    setRefusal(undefined);
    try {
      await act();
    } catch (thrown) {
      setRefusal(toRefusal(thrown));
    }
    setBusy(false);
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void send();
  };
  return { isBusy, refusal, submit, forget: () => setRefusal(undefined) };
}

/** Returns a refusal that no field shows. */
export function refusalOutside(refusal: Refusal | undefined, fields: readonly string[] = []): Refusal | undefined {
  return refusal?.more.field && fields.includes(refusal.more.field) ? undefined : refusal;
}
