/** The root component: shows the workspace, the sign-in form or the splash screen, depending on the session. */
import { createRenderEffect, ErrorBoundary, Match, onCleanup, onMount, Switch } from 'solid-js';
import { Failure } from './parts/Failure';
import { lazyPart } from './parts/loading/lazy_part';
import { Splash } from './parts/loading/Splash';
import { Toasts } from './parts/toast/Toast';
import { announcement } from './platform/announce';
import { listenForShortcuts } from './platform/keyboard';
import { Shell } from './shell/Shell';
import type { Preferences, Session, Store } from './state/contract';
import { StoreContext } from './state/store_context';

const SignIn = lazyPart(() => import('./views/start/SignIn').then((file) => file.SignIn));

export function App(props: { store: Store }) {
  const session = () => props.store.session();
  const signedOut = () => narrow(session(), 'signed_out');
  onMount(() => onCleanup(listenForShortcuts(() => props.store.preferences().letterKeys)));
  // Before the first paint, so that no other theme flashes.
  createRenderEffect(() => applyLooks(props.store.preferences()));
  return (
    <ErrorBoundary fallback={showFailure}>
      <StoreContext.Provider value={props.store}>
        <Switch fallback={<Splash />}>
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
    </ErrorBoundary>
  );
}

function applyLooks({ theme, density, singleColumn }: Preferences): void {
  const looks = document.documentElement.dataset;
  if (theme === 'system') delete looks.theme;
  else looks.theme = theme;
  looks.density = density;
  looks.columns = singleColumn ? 'one' : 'two';
}

function showFailure(error: unknown) {
  // The stack is needed to find the cause.
  console.error(error);
  return <Failure error={error} />;
}

function narrow<S extends Session['state']>(session: Session, state: S): Extract<Session, { state: S }> | undefined {
  return session.state === state ? (session as Extract<Session, { state: S }>) : undefined;
}
