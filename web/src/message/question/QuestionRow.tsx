/** A message that asks and waits. Until its card is loaded, the question is read as any other message. */
import { Show, Suspense } from 'solid-js';
import { late } from '../../parts/lazy_part';
import { Bubble } from '../bubble/Bubble';
import { Head } from '../bubble/MessageHeader';
import { isEdited } from '../edit/edit_state';
import { LateEditField } from '../edit/LazyEditField';
import { Foot } from '../footer/MessageFooter';
import type { Row } from '../row';

const Card = late(() => import('./QuestionInPlace').then((file) => file.QuestionInPlace));

export function QuestionRow(props: { row: Row }) {
  const isChanged = () => isEdited(props.row.message().id);
  return (
    <div class="message-body">
      <Show when={!isChanged()} fallback={<LateEditField message={props.row.message()} />}>
        <Suspense
          fallback={
            <>
              <Head row={props.row} />
              <Bubble row={props.row} />
            </>
          }
        >
          <Card row={props.row} />
        </Suspense>
      </Show>
      <Foot row={props.row} />
    </div>
  );
}
