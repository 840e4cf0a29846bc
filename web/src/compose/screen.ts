/** Facts about the screen that the composer depends on. */
import { type Accessor, createSignal, onCleanup, onMount } from 'solid-js';
import { route } from '../platform/router';

/** Narrower composers show short labels: on phones and in the pane. */
const NARROW_MAX = 460;

export function createNarrow(element: () => HTMLElement | undefined): Accessor<boolean> {
  const [isNarrow, setNarrow] = createSignal(false);
  onMount(() => {
    const target = element();
    if (!target) return;
    setNarrow(target.clientWidth < NARROW_MAX);
    const observer = new ResizeObserver(([entry]) => entry && setNarrow(entry.contentRect.width < NARROW_MAX));
    observer.observe(target);
    onCleanup(() => observer.disconnect());
  });
  return isNarrow;
}

/**
 * Whether the composer of a newly opened conversation may take the focus: not on touch screens, where that opens the
 * on-screen keyboard, not behind a dialog, and not when the reader has moved the focus since `opener` had it. The
 * composer is loaded late, so the reader may already be on a message.
 */
export function mayTakeFocus(opener: Element | null): boolean {
  const here = route();
  const isLinkToMessage = here.view === 'conversation' && here.messageId !== undefined;
  const hasKeyboard = matchMedia('(hover: hover) and (pointer: fine)').matches;
  const now = document.activeElement;
  const isFocusUnmoved = now === opener || now === null || now === document.body;
  return hasKeyboard && isFocusUnmoved && !isLinkToMessage && document.querySelector('dialog[open]') === null;
}
