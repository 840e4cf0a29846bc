/** Parts of the page that nobody needs at first: loaded when they are, or once the page has nothing else to do. */
import { type Component, createMemo, createResource, onCleanup, onMount, untrack } from 'solid-js';
import { EmptyState } from './EmptyState';

const IDLE_MS = 2_000;
const loads: (() => Promise<unknown>)[] = [];

/**
 * A component from a file of its own. When the file cannot be had, `Missing` says so in its place.
 *
 * Each that stands on the page waits by itself. Solid's own `lazy` lets all wait for the first: in a list whose rows come
 * and go, those that remain would wait for ever when the first has gone.
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

/** Loads all of them soon, so that none is missing when the hub is away. */
export function preloadLazyParts(): void {
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
