/** Asks the first person of a hub for a name. */
import { createSignal, createUniqueId } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { Dialog } from '../../parts/dialog/Dialog';
import { TextField } from '../../parts/field/TextField';
import { useStore } from '../../state/store_context';

export function Welcome(props: { onLater(): void; onNamed(): void }) {
  const store = useStore();
  const form = createUniqueId();
  const [name, setName] = createSignal('');
  const [problem, setProblem] = createSignal('');
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem('');
    try {
      await store.commands.rename(name().trim());
      props.onNamed();
    } catch (thrown) {
      const { message, code } = toRefusal(thrown);
      setProblem(`${message} (${code})`);
    }
  };
  const footer = (
    <>
      <button type="button" class="button" data-kind="quiet" onClick={() => props.onLater()}>
        Later
      </button>
      <button type="submit" class="button" data-kind="main" form={form}>
        Continue
      </button>
    </>
  );
  return (
    <Dialog
      title="Welcome"
      about="This is your hub. People and agents work together here in channels, threads and direct messages."
      onClose={() => props.onLater()}
      footer={footer}
    >
      <form id={form} onSubmit={submit}>
        <TextField
          label="What is your name?"
          hint={`They mention you by it: @${name().trim() || 'Mara'}. You can change it in the settings.`}
          problem={problem()}
          name="name"
          autocomplete="nickname"
          maxlength={64}
          required
          value={name()}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </form>
    </Dialog>
  );
}
