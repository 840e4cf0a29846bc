/** Placeholder lines for loading content, shown after a delay. */
import { Index, Show } from 'solid-js';
import { afterDelay } from './after_delay';
import './Skeleton.css';

export function Skeleton(props: {
  /** For screen readers: "Loading messages". */
  label: string;
  lines?: number;
}) {
  const isTime = afterDelay();
  return (
    <Show when={isTime()}>
      <div class="skeleton" role="status">
        <span class="unseen">{props.label}</span>
        <Index each={Array.from({ length: props.lines ?? 3 })}>{() => <span class="skeleton-line" />}</Index>
      </div>
    </Show>
  );
}
