/** Short notes at the edge of the page, with at most one thing to do. */
import { createSignal, For, Show } from 'solid-js';
import './Toast.css';

export interface ToastWish {
  readonly kind?: 'info' | 'warning' | 'danger';
  readonly action?: { readonly label: string; run(): void };
  /** How long it stays; 0 until it is taken away. */
  readonly ms?: number;
  /** A newer toast with the same key takes the place of the older. */
  readonly key?: string;
}

interface Toast extends ToastWish {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5_000;
const TOASTS_MAX = 4;
const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a note; the returned function takes it away. */
export function toast(text: string, wish: ToastWish = {}): () => void {
  lastId += 1;
  const id = lastId;
  const others = toasts().filter((one) => wish.key === undefined || one.key !== wish.key);
  setToasts([...others, { ...wish, id, text }].slice(-TOASTS_MAX));
  const dismiss = () => setToasts((now) => now.filter((one) => one.id !== id));
  const ms = wish.ms ?? SHOWN_MS;
  if (ms > 0) setTimeout(dismiss, ms);
  return dismiss;
}

/** Where toasts are shown; once on the page. */
export function Toasts() {
  return (
    <section class="toasts" aria-label="Notes" aria-live="polite">
      <For each={toasts()}>
        {(one) => (
          <div class="toast" data-kind={one.kind ?? 'info'}>
            <span class="toast-text">{one.text}</span>
            <Show when={one.action}>
              {(action) => (
                <button
                  type="button"
                  class="button"
                  data-kind="quiet"
                  onClick={() => {
                    action().run();
                    setToasts((now) => now.filter((other) => other.id !== one.id));
                  }}
                >
                  {action().label}
                </button>
              )}
            </Show>
          </div>
        )}
      </For>
    </section>
  );
}
