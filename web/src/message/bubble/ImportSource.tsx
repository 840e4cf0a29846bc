/** From which other system a message was taken over; the id of its author names it. */
import { Show } from 'solid-js';
import type { Message } from '../../api/model';

/** The system, for example `pynchy`; none for those who are known here. */
export const systemOf = (from: Message['from']) => /^[^:]+(?=:)/.exec(from.id ?? '')?.[0];

export function ImportSource(props: { from: Message['from'] }) {
  return (
    <Show when={systemOf(props.from)}>
      {(name) => (
        <span class="message-origin" title={`Taken over from ${name()}`}>
          from {name()}
        </span>
      )}
    </Show>
  );
}
