/**
 * Toasts: short notices at the edge of the page with at most one action. Their timer stops while hovered or focused.
 */
import { createEffect, createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import { announce } from '../../platform/announce';
import { Icon } from '../Icon';
import './Toast.css';

export interface ToastOptions {
  readonly kind?: 'info' | 'warning' | 'danger';
  readonly action?: { readonly label: string; run(): void };
  /** How long it stays; 0 until it is closed. */
  readonly ms?: number;
  /** A newer toast with the same key replaces the older one. */
  readonly key?: string;
}

interface Toast extends ToastOptions {
  readonly id: number;
  readonly text: string;
}

const SHOWN_MS = 5_000;
const TOASTS_MAX = 4;
const [toasts, setToasts] = createSignal<readonly Toast[]>([]);
let lastId = 0;

/** Shows a toast and announces it; the returned function closes it. */
export function toast(text: string, options: ToastOptions = {}): () => void {
  lastId += 1;
  const id = lastId;
  const others = toasts().filter((one) => options.key === undefined || one.key !== options.key);
  setToasts([...others, { ...options, id, text }].slice(-TOASTS_MAX));
  announce(text);
  return () => dismiss(id);
}

function dismiss(id: number): void {
  setToasts((now) => now.filter((one) => one.id !== id));
}

/** The container of toasts; once per page. */
export function Toasts() {
  let list: HTMLElement | undefined;
  createEffect(() => {
    if (toasts().length === 0) return;
    // Raised again each time, so that a toast is above an open dialog.
    list?.hidePopover?.();
    list?.showPopover?.();
  });
  return (
    <section class="toasts" aria-label="Notifications" popover="manual" ref={list}>
      <For each={toasts()}>{(one) => <ToastCard toast={one} />}</For>
    </section>
  );
}

function ToastCard(props: { toast: Toast }) {
  const one = props.toast;
  const close = () => dismiss(one.id);
  const clock = dismissLater(one.ms ?? SHOWN_MS, close);
  onMount(clock.go);
  onCleanup(clock.stop);
  const kind = one.kind ?? 'info';
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only pauses its timer; its buttons act.
    <div
      class="toast"
      data-kind={kind}
      onPointerEnter={clock.stop}
      onPointerLeave={clock.go}
      onFocusIn={clock.stop}
      onFocusOut={clock.go}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <Show when={kind !== 'info'}>
        <Icon name="warning" />
      </Show>
      <span class="toast-text">{one.text}</span>
      <Show when={one.action}>
        {(action) => (
          <button type="button" class="button" data-kind="quiet" onClick={() => [action().run(), close()]}>
            {action().label}
          </button>
        )}
      </Show>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={close}>
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}

/** A timer that can be paused; each start counts the whole time again. */
function dismissLater(ms: number, run: () => void): { go(): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const go = () => {
    stop();
    if (ms > 0) timer = setTimeout(run, ms);
  };
  return { go, stop };
}
