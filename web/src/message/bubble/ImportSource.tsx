/** Shows the system that a message was imported from; the author's id contains it. */
import { Show } from 'solid-js';
import type { Message } from '../../api/model';

/** Returns the system, for example `pynchy`; undefined for members of this hub. */
export const systemOf = (from: Message['from']) => /^[^:]+(?=:)/.exec(from.id ?? '')?.[0];

export function ImportSource(props: { from: Message['from'] }) {
  return (
    <Show when={systemOf(props.from)}>
      {(name) => (
        <span class="message-origin" title={`Imported from ${name()}`}>
          from {name()}
        </span>
      )}
    </Show>
  );
}
