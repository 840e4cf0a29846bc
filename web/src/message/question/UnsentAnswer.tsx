/** Text that was typed but not sent when the question closed; it can be moved to a reply. */
import { Show } from 'solid-js';
import type { Question } from '../../api/model';
import { giveFocus } from '../../platform/focus';
import { useStore } from '../../state/store_context';
import type { AnswerState } from './answer_state';

export function UnsentAnswer(props: { answerState: AnswerState; question: Question }) {
  const store = useStore();
  const { answerState } = props;
  /** Appends the text to the draft. */
  const move = () => {
    const { to, id } = answerState.message();
    const draft = store.draft(to);
    const text = draft.text === '' ? answerState.typed() : `${draft.text}\n\n${answerState.typed()}`;
    store.commands.setDraft(to, { ...draft, text, replyTo: draft.replyTo ?? id });
    answerState.setTyped('');
    giveFocus('composer', to);
  };
  return (
    // The event may arrive before the response: an answer that is being sent is not late.
    <Show when={answerState.typed() !== '' && props.question.state !== 'open' && !answerState.isBusy()}>
      <div class="question-late" role="status">
        <p>The question closed before you answered. Your text was not sent:</p>
        <blockquote>{answerState.typed()}</blockquote>
        <div class="question-acts">
          <button type="button" class="button" onClick={move}>
            Move it to a reply
          </button>
          <button type="button" class="button" data-kind="quiet" onClick={() => answerState.setTyped('')}>
            Discard
          </button>
        </div>
      </div>
    </Show>
  );
}
