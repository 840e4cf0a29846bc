/** The frame of both answer forms: problem text and buttons. */
import type { JSX } from 'solid-js';
import type { Question } from '../../api/model';
import { refusalText } from '../../parts/toast/toast_refusal';
import type { AnswerState } from './answer_state';

export interface AnswerFormProps {
  answerState: AnswerState;
  question: Question;
  takesFocus: boolean;
  onClose(): void;
}

/** Escape closes it; typed values stay. */
export function AnswerFrame(
  props: AnswerFormProps & {
    problem?: string | undefined;
    canSend: boolean;
    onSend(): void;
    children: JSX.Element;
  },
) {
  const why = () => {
    const refusal = props.answerState.refusal();
    return props.problem ?? (refusal ? refusalText(refusal) : undefined);
  };
  return (
    <form
      class="question-form"
      aria-label="Answer"
      onSubmit={(event) => {
        event.preventDefault();
        props.onSend();
      }}
      // Before the list, the pane and the page handle the key.
      on:keydown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') props.onClose();
      }}
    >
      {props.children}
      <p class="problem" role="alert">
        {why()}
      </p>
      <div class="question-acts">
        <button type="submit" class="button" data-kind="main" disabled={!props.canSend || props.answerState.isBusy()}>
          Answer
        </button>
        <button type="button" class="button" data-kind="quiet" onClick={() => props.onClose()}>
          Cancel
        </button>
      </div>
    </form>
  );
}
