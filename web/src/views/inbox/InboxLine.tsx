/** One message of the inbox: author, reason, time and start of the text. */
import { Show } from 'solid-js';
import type { InboxEntry } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { DateTime } from '../../parts/time/Time';
import { messageRoute } from '../../platform/message_route';
import { hrefOf } from '../../platform/routes';
import { usePersonColour } from '../../state/person_colour';
import { plainText } from '../../text/markdown/plain_text';
import { shapeOf } from '../search/SearchHit';
import { useViewer } from '../use_viewer';
import { priorityOf, priorityText } from './inbox_groups';
import '../search/SearchHit.css';

export function InboxLine(props: { entry: InboxEntry; onRead?(): void }) {
  const viewer = useViewer();
  const colour = usePersonColour();
  const message = () => props.entry.message;
  const weight = () => priorityOf(props.entry, viewer.readerId);
  return (
    <li class="inbox-line">
      <a class="inbox-link hit" data-id={message().id} href={hrefOf(messageRoute(message()))}>
        <Avatar name={message().from.name} shape={shapeOf(message().from)} colour={colour(message().from)} />
        <span class="hit-head">
          <b>{message().from.name}</b>
          <span class="chip inbox-weight" data-weight={weight()}>
            {priorityText(weight(), props.entry)}
          </span>
          <DateTime at={message().created_at} />
        </span>
        <span class="hit-snippet">{plainText(message().body) || 'A file'}</span>
      </a>
      <Show when={props.onRead}>
        <button
          type="button"
          class="icon-button"
          aria-label={`Mark as read up to here: ${message().from.name}`}
          title="Mark as read up to here (E)"
          onClick={() => props.onRead?.()}
        >
          <Icon name="check" size={16} />
        </button>
      </Show>
    </li>
  );
}
