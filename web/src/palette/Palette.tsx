/** Opens the palette with Ctrl/⌘+K and remembers recent conversations. */
import { createEffect, createSignal, onCleanup, Show } from 'solid-js';
import { lazyPart } from '../parts/loading/lazy_part';
import { route } from '../platform/router';
import { onShortcut } from '../platform/shortcuts';
import { rememberConversation } from './recent_conversations';

const OpenPalette = lazyPart(() => import('./OpenPalette').then((file) => file.OpenPalette));

export function Palette() {
  const [isOpen, setOpen] = createSignal(false);
  onCleanup(onShortcut('palette', () => setOpen(true)));
  createEffect(() => {
    const here = route();
    if (here.view === 'conversation') rememberConversation(here.conversationId);
  });
  return (
    <Show when={isOpen()}>
      <OpenPalette onClose={() => setOpen(false)} />
    </Show>
  );
}
