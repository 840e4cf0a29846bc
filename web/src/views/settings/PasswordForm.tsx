/** Sets or changes the password. */
import { createSignal } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { TextField } from '../../parts/field/TextField';
import { toast } from '../../parts/toast/Toast';
import { useStore } from '../../state/store_context';

/** Limit of the hub. */
const PASSWORD_CHARS_MIN = 10;

export function PasswordForm() {
  const store = useStore();
  const [problem, setProblem] = createSignal('');
  const userName = () => {
    const session = store.session();
    return session.state === 'signed_in' ? session.me.name : '';
  };
  const submit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { current, password } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    setProblem('');
    try {
      await store.commands.setPassword(password ?? '', current || undefined);
      form.reset();
      toast('Your password is set. Your other browsers are signed out.');
    } catch (thrown) {
      const { message, code } = toRefusal(thrown);
      setProblem(`${message} (${code})`);
    }
  };
  return (
    <details class="settings-fold">
      <summary>Set or change the password</summary>
      <form class="settings-form" onSubmit={submit}>
        {/* Password managers store the new password under this name. */}
        <input
          class="unseen"
          type="text"
          autocomplete="username"
          value={userName()}
          tabIndex={-1}
          aria-hidden="true"
          readonly
        />
        <TextField
          label="Current password"
          hint="Leave empty if you have none."
          name="current"
          type="password"
          autocomplete="current-password"
          maxlength={256}
        />
        <TextField
          label="New password"
          hint={`At least ${PASSWORD_CHARS_MIN} characters.`}
          problem={problem()}
          name="password"
          type="password"
          autocomplete="new-password"
          minlength={PASSWORD_CHARS_MIN}
          maxlength={256}
          required
        />
        <button type="submit" class="button">
          Set password
        </button>
      </form>
    </details>
  );
}
