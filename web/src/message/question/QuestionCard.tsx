/**
 * The card of a question: asker, addressees, time left and answers; later its result. Used in conversations and in
 * "Needs you".
 */

import { type JSX, Show } from 'solid-js';
import type { Message, Question, Run } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { DateTime } from '../../parts/time/Time';
import { useStore } from '../../state/store_context';
import { capitalize } from '../../text/wording';
import { useAnswerState } from './answer_state';
import { PausedRuns } from './PausedRuns';
import { QuestionActions } from './QuestionActions';
import { QuestionResult } from './QuestionResult';
import { asksText, namesText, type Viewer } from './question_text';
import { UnsentAnswer } from './UnsentAnswer';
import { useTimeLeft } from './use_time_left';
import './QuestionCard.css';

export interface CardProps {
  message: Message;
  question: Question;
  blocks: readonly Run[];
  /** The text of the question. */
  children: JSX.Element;
  /** The conversation, shown in "Needs you". */
  location?: JSX.Element;
  /** Called when the reader has answered, ignored or withdrawn it. */
  onDone?(): void;
}

export function QuestionCard(props: CardProps) {
  const store = useStore();
  const answerState = useAnswerState(() => props.message);
  const isOpen = () => props.question.state === 'open';
  const viewer: Viewer = {
    get readerId() {
      const session = store.session();
      return session.state === 'signed_in' ? session.me.member_id : undefined;
    },
    nameOf: (id) => store.members().get(id)?.name,
  };
  let card: HTMLDivElement | undefined;
  return (
    // Not a landmark: an agent may ask several questions, and landmarks need distinct names.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be part of a form, and the form is only one part of this.
    <div
      role="group"
      class="question"
      data-state={props.question.state}
      aria-label={asksText(props.message, props.question, viewer)}
      ref={card}
    >
      <QuestionHeader {...props} viewer={viewer} />
      {props.children}
      <Show
        when={isOpen()}
        fallback={
          <>
            <QuestionResult message={props.message} question={props.question} viewer={viewer} />
            <UnsentAnswer answerState={answerState} question={props.question} />
          </>
        }
      >
        <Ignorers question={props.question} viewer={viewer} />
        <QuestionActions {...props} answerState={answerState} viewer={viewer} card={() => card} />
      </Show>
    </div>
  );
}

function QuestionHeader(props: CardProps & { viewer: Viewer }) {
  const isOpen = () => props.question.state === 'open';
  return (
    <header class="question-head">
      <Icon name="question" size={16} />
      <p class="question-title">{asksText(props.message, props.question, props.viewer)}</p>
      <span class="question-meta">
        {props.location}
        <Show when={isOpen()} fallback={<DateTime at={props.message.created_at} />}>
          <PausedRuns runs={props.blocks} message={props.message} />
          <TimeLeft question={props.question} />
        </Show>
      </span>
    </header>
  );
}

/** Changes seldom and has a fixed width, so that nothing moves. */
function TimeLeft(props: { question: Question }) {
  const left = useTimeLeft(() => props.question.expires_at);
  const hasDefault = () => props.question.default !== undefined && props.question.default !== null;
  const words = () => {
    const time = left();
    if (time === undefined) return 'expired';
    return hasDefault() ? `default applies in ${time}` : `expires in ${time}`;
  };
  return (
    <time
      class="question-left"
      datetime={props.question.expires_at}
      title={new Date(props.question.expires_at).toLocaleString()}
    >
      {words()}
    </time>
  );
}

/** Addressees who ignored the question, or went on without an answer, while others may still answer. */
function Ignorers(props: { question: Question; viewer: Viewer }) {
  return (
    <>
      <Passers ids={props.question.ignored_by ?? []} did="ignored it" viewer={props.viewer} />
      <Passers ids={props.question.unanswered_by ?? []} did="went on without an answer" viewer={props.viewer} />
    </>
  );
}

function Passers(props: { ids: readonly string[]; did: string; viewer: Viewer }) {
  return (
    <Show when={props.ids.length > 0}>
      <p class="question-note">
        {capitalize(namesText(props.ids, props.viewer))} {props.did}.
      </p>
    </Show>
  );
}
