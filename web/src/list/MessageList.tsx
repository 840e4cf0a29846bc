/** The messages of a conversation: only what is seen is in the page, and nothing moves under the reader. */
import { For } from 'solid-js';
import { MessageRow } from '../message/MessageRow';
import type { Timeline } from '../state/contract';

export function MessageList(props: {
  timeline: Timeline;
  /** What the list is, for screen readers. */
  label: string;
  /** The message that a link leads to. */
  targetId?: string | undefined;
  place: 'conversation' | 'thread';
}) {
  return (
    <div class="message-list" role="feed" aria-label={props.label}>
      <For each={props.timeline.ids()}>
        {(id) => <MessageRow timeline={props.timeline} id={id} isContinued={false} place={props.place} />}
      </For>
    </div>
  );
}
