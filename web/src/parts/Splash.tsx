/** The page before it knows who is there; only when that takes a while. */
import { Show } from 'solid-js';
import { afterDelay } from './after_delay';
import { Brand } from './Brand';
import './Splash.css';

export function Splash() {
  const isTime = afterDelay();
  return (
    <Show when={isTime()}>
      <main class="splash" aria-busy="true">
        <Brand size={44} />
        <p role="status">Connecting …</p>
      </main>
    </Show>
  );
}
