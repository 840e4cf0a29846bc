/** `?` opens the list of shortcuts. */
import { createSignal, onCleanup, Show } from 'solid-js';
import { lazyPart } from '../parts/loading/lazy_part';
import { onShortcut } from '../platform/shortcuts';

const ShortcutList = lazyPart(() => import('./ShortcutList').then((file) => file.ShortcutList));

export function ShortcutDialog() {
  const [isOpen, setOpen] = createSignal(false);
  onCleanup(onShortcut('sheet', () => setOpen(true)));
  return (
    <Show when={isOpen()}>
      <ShortcutList onClose={() => setOpen(false)} />
    </Show>
  );
}
