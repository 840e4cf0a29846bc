/** The connection state with a reconnect button. */
import { createEffect, createMemo, createSignal, onCleanup, Show } from 'solid-js';
import { useStore } from '../../state/store_context';
import { connectionText } from './connection_text';
import './ConnectionLine.css';

const TICK_MS = 1_000;

export function ConnectionLine() {
  const store = useStore();
  const [now, setNow] = createSignal(Date.now());
  createEffect(() => {
    if (store.connection().state !== 'waiting') return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    onCleanup(() => clearInterval(timer));
  });
  // One line during the whole loss, so that nothing jumps with each attempt.
  const isLost = createMemo<boolean>((wasLost) => {
    const { state } = store.connection();
    return state === 'connecting' ? wasLost : state !== 'live';
  }, false);
  const words = () => connectionText(store.connection(), now());
  return (
    <div class="connection" data-tone={words().tone} data-lost={isLost() ? '' : undefined}>
      <span class="connection-dot" />
      <span class="connection-words">{words().text}</span>
      <Show when={words().canTryNow}>
        <button type="button" class="connection-try" onClick={() => store.commands.reconnect()}>
          Try now
        </button>
      </Show>
    </div>
  );
}
