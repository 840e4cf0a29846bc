/** Actions on an open question: the asker can withdraw it, others can answer. */
import { For, Show } from 'solid-js';
import { AnswerActions, AnswerRefusal, doneAfter, type QuestionActionsProps } from './AnswerActions';
import { type AnswerChoice, choicesOf } from './choices';

export function QuestionActions(props: QuestionActionsProps) {
  const isMine = () => props.message.from.id === props.viewer.readerId;
  return (
    <Show when={!isMine()} fallback={<AskerActions {...props} />}>
      <AnswerActions {...props} />
    </Show>
  );
}

function AskerActions(props: QuestionActionsProps) {
  return (
    <>
      <OptionList choices={choicesOf(props.question)} />
      <AnswerRefusal answerState={props.answerState} />
      <div class="question-acts">
        <button
          type="button"
          class="button"
          disabled={props.answerState.isBusy()}
          onClick={() => void doneAfter(props, props.answerState.withdraw())}
        >
          Withdraw
        </button>
      </div>
    </>
  );
}

/** The options, shown to the asker. */
function OptionList(props: { choices: readonly AnswerChoice[] }) {
  return (
    <Show when={props.choices.length > 0}>
      <ul class="question-offered">
        <For each={props.choices}>
          {(choice) => (
            <li>
              {choice.label}
              <Show when={choice.isDefault}>
                <span class="chip">default</span>
              </Show>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}
