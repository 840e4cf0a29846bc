/** Keys as labelled on the reader's keyboard. */
import { For } from 'solid-js';
import { keyCaps } from '../platform/keys';
import './KeyCaps.css';

export function KeyCaps(props: { keys: string }) {
  return (
    <span class="key-caps">
      <For each={keyCaps(props.keys)}>
        {(press, index) => (
          <>
            {index() > 0 && <span class="key-then">then</span>}
            <For each={press}>{(cap) => <kbd class="kbd">{cap}</kbd>}</For>
          </>
        )}
      </For>
    </span>
  );
}
