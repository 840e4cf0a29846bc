/** The result of a question: the answer, its author and time, or why there is none. */
import { Show } from 'solid-js';
import type { Message, Question } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { DateTime } from '../../parts/time/Time';
import { go } from '../../platform/router';
import { hrefOf, type Route } from '../../platform/routes';
import { useStore } from '../../state/store_context';
import { outcomeOf, type Viewer } from './question_text';

export function QuestionResult(props: { message: Message; question: Question; viewer: Viewer }) {
  const ending = () => outcomeOf(props.question, props.viewer);
  const hasAnswer = () => Boolean(props.question.answer);
  return (
    <Show when={ending()}>
      {(end) => (
        <p class="question-outcome">
          <span class="question-mark" data-is={hasAnswer() ? 'answer' : undefined}>
            <Icon name={hasAnswer() ? 'check' : 'close'} size={16} />
          </span>
          <span class="question-end">
            <b>{end().title}</b>
            <Show when={end().answer}>{(answer) => <span class="question-answer">{answer()}</span>}</Show>
            <Show when={props.question.answer?.message_id}>
              {(id) => <AnswerLink message={props.message} answerId={id()} />}
            </Show>
            <Show when={end().why}>{(why) => <span class="question-why">{why()}</span>}</Show>
          </span>
          <Show when={props.question.closed_at}>{(at) => <DateTime at={at()} />}</Show>
        </p>
      )}
    </Show>
  );
}

/** Links to the answer when it is a message, perhaps in a thread. */
function AnswerLink(props: { message: Message; answerId: string }) {
  const store = useStore();
  const routeTo = (conversationId: string): Route => ({
    view: 'conversation',
    projectId: props.message.project_id,
    conversationId,
    messageId: props.answerId,
  });
  const follow = async () => {
    const found = await store.commands.findMessage(props.answerId).catch(() => undefined);
    go(routeTo(found?.to ?? props.message.to));
  };
  return (
    <a
      class="question-link"
      href={hrefOf(routeTo(props.message.to))}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        void follow();
      }}
    >
      in a message
    </a>
  );
}
