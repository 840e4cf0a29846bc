/** A message with a question. Shows a normal bubble until the card is loaded. */
import { Show, Suspense } from 'solid-js';
import { lazyPart } from '../../parts/loading/lazy_part';
import { Bubble } from '../bubble/Bubble';
import { MessageHeader } from '../bubble/MessageHeader';
import { isEdited } from '../edit/edit_state';
import { LazyEditField } from '../edit/LazyEditField';
import { MessageFooter } from '../footer/MessageFooter';
import type { Row } from '../row';

const Card = lazyPart(() => import('./InlineQuestion').then((file) => file.InlineQuestion));

export function QuestionRow(props: { row: Row }) {
  const isChanged = () => isEdited(props.row.message().id);
  return (
    <div class="message-body">
      <Show when={!isChanged()} fallback={<LazyEditField message={props.row.message()} />}>
        <Suspense
          fallback={
            <>
              <MessageHeader row={props.row} />
              <Bubble row={props.row} />
            </>
          }
        >
          <Card row={props.row} />
        </Suspense>
      </Show>
      <MessageFooter row={props.row} />
    </div>
  );
}
