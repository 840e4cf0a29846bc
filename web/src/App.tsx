/** The page: who is signed in decides what is shown. */
import { createEffect, Match, onCleanup, onMount, Switch } from 'solid-js';
import { Toasts } from './parts/Toast';
import { announcement } from './platform/announce';
import { listenForShortcuts } from './platform/keyboard';
import { Shell } from './shell/Shell';
import { StoreContext } from './state/context';
import type { Session, Store } from './state/contract';
import { SignIn } from './views/SignIn';

export function App(props: { store: Store }) {
  const session = () => props.store.session();
  const signedOut = () => narrow(session(), 'signed_out');
  onMount(() => onCleanup(listenForShortcuts(() => props.store.preferences().letterKeys)));
  createEffect(() => applyLooks(props.store));
  return (
    <StoreContext.Provider value={props.store}>
      <Switch>
        <Match when={session().state === 'signed_in'}>
          <Shell />
        </Match>
        <Match when={signedOut()}>{(out) => <SignIn was={out().was} />}</Match>
      </Switch>
      <Toasts />
      <p class="unseen" role="status">
        {announcement()}
      </p>
    </StoreContext.Provider>
  );
}

function applyLooks(store: Store): void {
  const { theme, density, singleColumn } = store.preferences();
  const looks = document.documentElement.dataset;
  if (theme === 'system') delete looks.theme;
  else looks.theme = theme;
  looks.density = density;
  looks.columns = singleColumn ? 'one' : 'two';
}

function narrow<S extends Session['state']>(session: Session, state: S): Extract<Session, { state: S }> | undefined {
  return session.state === state ? (session as Extract<Session, { state: S }>) : undefined;
}
