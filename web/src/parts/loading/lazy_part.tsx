/** Lazily loaded components: loaded on first use, or when the page is idle. */
import { type Component, createMemo, createResource, onCleanup, onMount, untrack } from 'solid-js';
import { EmptyState } from '../EmptyState';

const IDLE_MS = 2_000;
const loads: (() => Promise<unknown>)[] = [];

/**
 * Returns a component that loads its code on first use. `Missing` is shown when the file cannot be loaded.
 *
 * Each instance waits by itself. With Solid's `lazy` all instances wait for the first: in a list whose rows are
 * unmounted, the others would wait forever.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<Component<Props>>,
  Missing: Component<Props> = MissingPart,
): Component<Props> {
  let part: Component<Props> | undefined;
  let loading: Promise<Component<Props>> | undefined;
  const bring = () => {
    loading ??= load()
      .catch(() => Missing)
      .then((found) => {
        part = found;
        return found;
      });
    return loading;
  };
  loads.push(bring);
  return (props) => {
    if (part) return part(props);
    const [loaded] = createResource(bring);
    const shown = createMemo(() => {
      const found = loaded();
      return found ? untrack(() => found(props)) : '';
    });
    return <>{shown()}</>;
  };
}

/** Loads all lazy components after a delay, so that none is missing when the hub goes away. */
export function preloadLazyParts(): void {
  onMount(() => {
    const timer = setTimeout(() => {
      for (const load of loads) void load();
    }, IDLE_MS);
    onCleanup(() => clearTimeout(timer));
  });
}

/** The hub was unreachable, or is a newer version with other files. */
function MissingPart() {
  return (
    <EmptyState icon="warning" action={{ label: 'Reload the page', run: () => location.reload() }}>
      This part of the page could not be loaded. The hub may be unreachable, or newer than this page.
    </EmptyState>
  );
}
