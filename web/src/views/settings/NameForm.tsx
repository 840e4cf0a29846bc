/** Changes the name of the reader. */
import { createSignal } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { TextField } from '../../parts/field/TextField';
import { toast } from '../../parts/toast/Toast';
import { useStore } from '../../state/store_context';

export function NameForm() {
  const store = useStore();
  const present = () => {
    const session = store.session();
    return session.state === 'signed_in' ? session.me.name : '';
  };
  const [typed, setTyped] = createSignal<string>();
  const [problem, setProblem] = createSignal('');
  const name = () => typed() ?? present();
  const isChanged = () => name().trim() !== '' && name().trim() !== present();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setProblem('');
    try {
      await store.commands.rename(name().trim());
      setTyped(undefined);
      toast(`Others now see you as ${present()}.`);
    } catch (thrown) {
      const { message, code } = toRefusal(thrown);
      setProblem(`${message} (${code})`);
    }
  };
  return (
    <form class="settings-form" onSubmit={submit}>
      <TextField
        label="Name"
        hint="Used to mention you. Earlier messages keep the old name."
        problem={problem()}
        name="name"
        autocomplete="nickname"
        maxlength={64}
        required
        value={name()}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <button type="submit" class="button" disabled={!isChanged()}>
        Save name
      </button>
    </form>
  );
}
