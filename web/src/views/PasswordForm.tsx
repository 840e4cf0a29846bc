/** A password for signing in without a link: the first one, or another. */
import { createSignal, createUniqueId, Show } from 'solid-js';
import { type Refusal, toRefusal } from '../api/refusal';
import { toast } from '../parts/Toast';
import { useStore } from '../state/context';

/** As the hub demands; it says so itself too. */
const PASSWORD_CHARS_MIN = 10;

export function PasswordForm() {
  const store = useStore();
  const id = createUniqueId();
  const [refusal, setRefusal] = createSignal<Refusal>();
  const userName = () => {
    const session = store.session();
    return session.state === 'signed_in' ? session.me.name : '';
  };
  const submit = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const form = event.currentTarget;
    const { current, password } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    setRefusal(undefined);
    try {
      await store.commands.setPassword(password ?? '', current || undefined);
      form.reset();
      toast('Your password is set. Your other browsers are signed out.');
    } catch (thrown) {
      setRefusal(toRefusal(thrown));
    }
  };
  return (
    <details class="settings-fold">
      <summary>Set or change the password</summary>
      <form class="settings-form" onSubmit={submit}>
        {/* Password managers keep the new password under this name. */}
        <input
          class="unseen"
          type="text"
          autocomplete="username"
          value={userName()}
          tabIndex={-1}
          aria-hidden="true"
          readonly
        />
        <label class="field">
          <span>Present password</span>
          <input name="current" type="password" autocomplete="current-password" maxlength={256} aria-describedby={id} />
          <small>Empty if you have none yet.</small>
        </label>
        <label class="field">
          <span>New password</span>
          <input
            name="password"
            type="password"
            autocomplete="new-password"
            minlength={PASSWORD_CHARS_MIN}
            maxlength={256}
            required
            aria-invalid={refusal() !== undefined}
            aria-describedby={id}
          />
          <small>At least {PASSWORD_CHARS_MIN} characters.</small>
        </label>
        <p class="problem" role="alert" id={id}>
          <Show when={refusal()}>{(no) => `${no().message} (${no().code})`}</Show>
        </p>
        <button type="submit" class="button">
          Set the password
        </button>
      </form>
    </details>
  );
}
