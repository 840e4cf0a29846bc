/** What the composer must know of the screen. */
import { type Accessor, createSignal, onCleanup, onMount } from 'solid-js';
import { route } from '../platform/router';

/** Below this width, in pixels, there is room only for short words: on phones, and in the pane. */
const NARROW_MAX = 460;

/** Signal: an element is narrow. */
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

/** Whether an opened conversation may take the keyboard: not where that opens the keys of a phone, and not from others. */
export function mayTakeFocus(): boolean {
  const here = route();
  const isLinkToMessage = here.view === 'conversation' && here.messageId !== undefined;
  const hasKeys = matchMedia('(hover: hover) and (pointer: fine)').matches;
  return hasKeys && !isLinkToMessage && document.querySelector('dialog[open]') === null;
}
