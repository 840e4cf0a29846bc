/** A message that asks and waits. Until its card is loaded, the question is read as any other message. */
import { Show, Suspense } from 'solid-js';
import { late } from '../shell/late';
import { Bubble } from './Bubble';
import { isEdited } from './editing';
import { Foot } from './Foot';
import { Head } from './Head';
import { LateEditField } from './LateEditField';
import type { Row } from './row';

const Card = late(() => import('./question/QuestionInPlace').then((file) => file.QuestionInPlace));

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
