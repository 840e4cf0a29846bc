/** Parts of the page that nobody needs at first: loaded when they are, or once the page has nothing else to do. */
import { type Component, lazy, onCleanup, onMount } from 'solid-js';
import { EmptyState } from '../parts/EmptyState';

const IDLE_MS = 2_000;
const loads: (() => Promise<unknown>)[] = [];

/** A component from a file of its own. When the file cannot be had, `Missing` says so in its place. */
export function late<Props extends object>(
  load: () => Promise<Component<Props>>,
  Missing: Component<Props> = MissingPart,
): Component<Props> {
  const part = lazy(() => load().then(asModule, () => asModule(Missing)));
  loads.push(() => part.preload());
  return part;
}

/** Loads all of them soon, so that none is missing when the hub is away. */
export function loadLateParts(): void {
  onMount(() => {
    const timer = setTimeout(() => {
      for (const load of loads) void load();
    }, IDLE_MS);
    onCleanup(() => clearTimeout(timer));
  });
}

/** The hub was away, or is a newer one with other files. */
function MissingPart() {
  return (
    <EmptyState icon="warning" action={{ label: 'Reload the page', run: () => location.reload() }}>
      This part of the page could not be loaded from the hub, which may be away, or newer than the page.
    </EmptyState>
  );
}

function asModule<Props extends object>(component: Component<Props>): { default: Component<Props> } {
  return { default: component };
}
