/** The splash screen until the session is known, shown after a delay. */
import { Show } from 'solid-js';
import { Brand } from '../Brand';
import { afterDelay } from './after_delay';
import './Splash.css';

export function Splash() {
  const isTime = afterDelay();
  return (
    <Show when={isTime()}>
      <main class="splash" aria-busy="true">
        <Brand size={44} />
        <p role="status">Connecting…</p>
      </main>
    </Show>
  );
}
