/** The sign-in form. Drafts and the address survive an expired session. */
import { createSignal, createUniqueId, onMount, Show } from 'solid-js';
import { type Refusal, toRefusal } from '../../api/refusal';
import { Brand } from '../../parts/Brand';
import { useStore } from '../../state/store_context';
import './SignIn.css';

export function SignIn(props: { was?: string | undefined }) {
  const store = useStore();
  const [name, setName] = createSignal(props.was ?? '');
  const [password, setPassword] = createSignal('');
  const [problem, setProblem] = createSignal('');
  const [isBusy, setBusy] = createSignal(false);
  const problemId = createUniqueId();
  let nameField: HTMLInputElement | undefined;
  let passwordField: HTMLInputElement | undefined;
  onMount(() => (props.was ? passwordField : nameField)?.focus());
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isBusy()) return;
    setBusy(true);
    setProblem('');
    try {
      await store.commands.signIn(name().trim(), password());
    } catch (thrown) {
      setProblem(signInProblemText(toRefusal(thrown)));
      setPassword('');
      passwordField?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="sign-in">
      <div class="sign-in-brand">
        <Brand size={44} />
        <span>Parlour</span>
      </div>
      <form class="sign-in-card" method="post" aria-describedby={problemId} onSubmit={submit}>
        <h1>{props.was ? 'Sign in again' : 'Sign in'}</h1>
        <Show when={props.was}>
          <p class="sign-in-ended" role="status">
            Your session has ended. What you typed is kept.
          </p>
        </Show>
        <p class="problem" role="alert" id={problemId}>
          {problem()}
        </p>
        <label class="field">
          <span>Name</span>
          <input
            ref={nameField}
            name="name"
            type="text"
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
            maxlength={64}
            required
            value={name()}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Password</span>
          <input
            ref={passwordField}
            name="password"
            type="password"
            autocomplete="current-password"
            maxlength={256}
            required
            value={password()}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button" data-kind="main" aria-disabled={isBusy()}>
          {isBusy() ? 'Signing in…' : 'Sign in'}
        </button>
      </form>
      <p class="hint sign-in-hint">
        No password yet? The operator of this hub can create a link with <code>parlour person link</code>.
      </p>
    </main>
  );
}

/** Returns why signing in failed, and what to do. */
export function signInProblemText(refusal: Refusal): string {
  if (refusal.isUnreachable) return 'The hub is not responding. Check that it is running, then try again.';
  if (refusal.more.status === 401) return 'Wrong name or password.';
  if (refusal.more.status === 429) {
    const seconds = refusal.more.retryAfterSeconds ?? 1;
    return `Too many tries. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}, then try again.`;
  }
  return `${refusal.message} (${refusal.code})`;
}
