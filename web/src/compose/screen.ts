/** What the composer must know of the screen. */
import { createRoot, createSignal } from 'solid-js';
import { route } from '../platform/router';

const narrow = matchMedia('(max-width: 600px)');

/** Signal: the screen is that of a phone. */
export const isPhone = createRoot(() => {
  const [isNarrow, setNarrow] = createSignal(narrow.matches);
  narrow.addEventListener('change', () => setNarrow(narrow.matches));
  return isNarrow;
});

/** Whether an opened conversation may take the keyboard: not where that opens the keys of a phone, and not from others. */
export function mayTakeFocus(): boolean {
  const here = route();
  const isLinkToMessage = here.view === 'conversation' && here.messageId !== undefined;
  const hasKeys = matchMedia('(hover: hover) and (pointer: fine)').matches;
  return hasKeys && !isLinkToMessage && document.querySelector('dialog[open]') === null;
}
