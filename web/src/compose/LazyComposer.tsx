/** Loads the composer from a separate file once messages are shown; a placeholder keeps its place. */
import { type ComponentProps, Suspense } from 'solid-js';
import { lazyPart } from '../parts/loading/lazy_part';
import { whenReady } from '../platform/ready';
import type { Composer } from './Composer';
import './LazyComposer.css';

const Loaded = lazyPart(async () => {
  await whenReady();
  return (await import('./Composer')).Composer;
});

export function LazyComposer(props: Omit<ComponentProps<typeof Composer>, 'opener'>) {
  const opener = document.activeElement;
  return (
    <Suspense fallback={<div class="composer-place" aria-hidden="true" />}>
      <Loaded {...props} opener={opener} />
    </Suspense>
  );
}
