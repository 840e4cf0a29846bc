/** `?` opens the list of shortcuts. */
import { createSignal, onCleanup, Show } from 'solid-js';
import { lazyPart } from '../parts/lazy_part';
import { onShortcut } from '../platform/shortcuts';

const Sheet = lazyPart(() => import('./Sheet').then((file) => file.Sheet));

export function ShortcutSheet() {
  const [isOpen, setOpen] = createSignal(false);
  onCleanup(onShortcut('sheet', () => setOpen(true)));
  return (
    <Show when={isOpen()}>
      <Sheet onClose={() => setOpen(false)} />
    </Show>
  );
}
