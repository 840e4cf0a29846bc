/** What became of a question: the answer, who gave it and when, or that it answered itself. */
import { Show } from 'solid-js';
import type { Message, Question } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { Moment } from '../../parts/Time';
import { hrefOf } from '../../platform/routes';
import { type Audience, endingOf } from './question_words';

export function Outcome(props: { message: Message; question: Question; audience: Audience }) {
  const ending = () => endingOf(props.question, props.audience);
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
          <Show when={props.question.closed_at}>{(at) => <Moment at={at()} />}</Show>
        </p>
      )}
    </Show>
  );
}

/** The answer stands in a message of its own. */
function AnswerLink(props: { message: Message; answerId: string }) {
  const to = () => ({
    view: 'conversation' as const,
    projectId: props.message.project_id,
    conversationId: props.message.to,
    messageId: props.answerId,
  });
  return (
    <a class="question-link" href={hrefOf(to())}>
      in a message
    </a>
  );
}
