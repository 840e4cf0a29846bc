/** One message in whatever form it has: stored, growing, or on its way. */
import type { Timeline } from '../state/contract';
import { Markdown } from '../text/Markdown';

export function MessageRow(props: {
  timeline: Timeline;
  id: string;
  /** The message above is of the same author and within five minutes: it shares that head. */
  isContinued: boolean;
  place: 'conversation' | 'thread';
}) {
  const message = () => props.timeline.message(props.id);
  return (
    <article class="message" data-id={props.id}>
      <Markdown source={message()?.body ?? ''} growing={props.timeline.growing(props.id)} />
    </article>
  );
}
