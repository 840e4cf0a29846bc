/** A message with avatar, header, bubble and footer. */
import { Show } from 'solid-js';
import { Avatar } from '../../parts/Avatar';
import { Icon } from '../../parts/Icon';
import { Time } from '../../parts/time/Time';
import { usePersonColour } from '../../state/person_colour';
import { isEdited } from '../edit/edit_state';
import { LazyEditField } from '../edit/LazyEditField';
import { MessageFooter } from '../footer/MessageFooter';
import { type Row, rowKeyOf } from '../row';
import { NotSent } from '../sending/NotSent';
import { SendState } from '../sending/SendState';
import { isTouch, toggleTouched } from '../toolbar/active_row';
import { Bubble } from './Bubble';
import { CompactHeader, MessageHeader } from './MessageHeader';

export function BubbleRow(props: { row: Row; isContinued: boolean }) {
  const message = () => props.row.message();
  const colourOf = usePersonColour();
  const colour = () => (props.row.isMine() ? undefined : colourOf(message().from));
  return (
    <>
      <div class="message-margin">
        <Show
          when={props.isContinued}
          fallback={<Avatar name={message().from.name} shape={props.row.presentation().avatar} colour={colour()} />}
        >
          <Show when={props.row.outgoing()} fallback={<Time at={message().created_at} />}>
            <SendState row={props.row} look="icon" />
          </Show>
        </Show>
      </div>
      <div class="message-body">
        <Show when={props.isContinued} fallback={<MessageHeader row={props.row} />}>
          <CompactHeader row={props.row} />
        </Show>
        <Show when={isEdited(message().id)} fallback={<Bubble row={props.row} />}>
          <LazyEditField message={message()} />
        </Show>
        <NotSent row={props.row} />
        <MessageFooter row={props.row} />
      </div>
      <Show when={isTouch() && !props.row.presentation().isRemoved && !props.row.outgoing()}>
        <button
          type="button"
          class="message-more"
          aria-label="Actions"
          onClick={() => toggleTouched(rowKeyOf(props.row))}
        >
          <Icon name="more" size={16} />
        </button>
      </Show>
    </>
  );
}
