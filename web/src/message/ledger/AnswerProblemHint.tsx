/** Shows why a reply did not answer the question. Only the author sees it. */
import { Show } from 'solid-js';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';

export function AnswerProblemHint(props: { row: Row }) {
  const store = useStore();
  const problem = () => store.answerProblem(props.row.message().id);
  return (
    <Show when={problem()}>
      {(one) => (
        <p class="message-hint">
          This does not answer the question: {one().detail}. ({one().code}){' '}
          <span class="message-hint-private">Only visible to you.</span>
        </p>
      )}
    </Show>
  );
}
