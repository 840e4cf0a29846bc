/** A question: who asks whom, until when, what can be answered; then what became of it. In place and on the board. */
import { createMemo, createSignal, For, type JSX, onCleanup, onMount, Show } from 'solid-js';
import type { Message, Question, Run } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { Moment } from '../../parts/Time';
import { refusalText } from '../../parts/toast_refusal';
import { useStore } from '../../state/store_context';
import { AnswerForm } from './AnswerForm';
import { type Answering, useAnswering } from './answering';
import { Blocks } from './Blocks';
import { type Choice, choicesOf, editableText } from './choices';
import { LateText } from './LateText';
import { Outcome } from './Outcome';
import { optionOfKey } from './option_keys';
import { type Audience, asksText, capital, namesText } from './question_text';
import { fieldsOf, typedOf } from './schema_fields';
import { useTimeLeft } from './use_time_left';
import './QuestionCard.css';

export interface CardProps {
  message: Message;
  question: Question;
  /** The runs that wait for it. */
  blocks: readonly Run[];
  /** What it asks, as it is to be shown. */
  children: JSX.Element;
  /** Where it stands, on the board. */
  place?: JSX.Element;
  /** Told when the reader is done with it: answered, ignored or taken back. */
  onDone?(): void;
}

export function QuestionCard(props: CardProps) {
  const store = useStore();
  const answering = useAnswering(() => props.message);
  const isOpen = () => props.question.state === 'open';
  const audience: Audience = {
    get readerId() {
      const session = store.session();
      return session.state === 'signed_in' ? session.me.member_id : undefined;
    },
    nameOf: (id) => store.members().get(id)?.name,
  };
  let card: HTMLDivElement | undefined;
  return (
    // No landmark: an agent may ask several things, and landmarks of one name cannot be told apart.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be part of a form, and the form is only one part of this.
    <div
      role="group"
      class="question"
      data-state={props.question.state}
      aria-label={asksText(props.message, props.question, audience)}
      ref={card}
    >
      <Head {...props} audience={audience} />
      {props.children}
      <Show
        when={isOpen()}
        fallback={
          <>
            <Outcome message={props.message} question={props.question} audience={audience} />
            <LateText answering={answering} question={props.question} />
          </>
        }
      >
        <Ignorers question={props.question} audience={audience} />
        <Acts {...props} answering={answering} audience={audience} card={() => card} />
      </Show>
    </div>
  );
}

function Head(props: CardProps & { audience: Audience }) {
  const isOpen = () => props.question.state === 'open';
  return (
    <header class="question-head">
      <Icon name="question" size={16} />
      <p class="question-title">{asksText(props.message, props.question, props.audience)}</p>
      <span class="question-meta">
        {props.place}
        <Show when={isOpen()} fallback={<Moment at={props.message.created_at} />}>
          <Blocks runs={props.blocks} message={props.message} />
          <TimeLeft question={props.question} />
        </Show>
      </span>
    </header>
  );
}

/** Words that change seldom, in a place that keeps its width: nothing moves while time goes by. */
function TimeLeft(props: { question: Question }) {
  const left = useTimeLeft(() => props.question.expires_at);
  const hasDefault = () => props.question.default !== undefined && props.question.default !== null;
  const words = () => {
    const time = left();
    if (time === undefined) return 'its time is over';
    return hasDefault() ? `answers itself in ${time}` : `expires in ${time}`;
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

/** Those who will not answer, while others may. */
function Ignorers(props: { question: Question; audience: Audience }) {
  const ids = () => props.question.ignored_by ?? [];
  return (
    <Show when={ids().length > 0}>
      <p class="question-note">{capital(namesText(ids(), props.audience))} ignored it.</p>
    </Show>
  );
}

interface ActsProps extends CardProps {
  answering: Answering;
  audience: Audience;
  card(): HTMLElement | undefined;
}

/** What can be done with an open question: its asker can take it back, all others can answer. */
function Acts(props: ActsProps) {
  const isMine = () => props.message.from.id === props.audience.readerId;
  return (
    <Show when={!isMine()} fallback={<OwnActs {...props} />}>
      <AnswerActs {...props} />
    </Show>
  );
}

function OwnActs(props: ActsProps) {
  return (
    <>
      <Offered choices={choicesOf(props.question)} />
      <Refused answering={props.answering} />
      <div class="question-acts">
        <button
          type="button"
          class="button"
          disabled={props.answering.isBusy()}
          onClick={() => void doneAfter(props, props.answering.withdraw())}
        >
          Withdraw
        </button>
      </div>
    </>
  );
}

/** What the reader has offered to others. */
function Offered(props: { choices: readonly Choice[] }) {
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

function AnswerActs(props: ActsProps) {
  const { answering } = props;
  const store = useStore();
  const choices = createMemo(() => choicesOf(props.question));
  /** What was typed before is shown without taking the keyboard. */
  const [isReplying, setReplying] = createSignal<boolean | 'kept'>(answering.typed() === '' ? false : 'kept');
  const mayIgnore = () => {
    const id = props.audience.readerId ?? '';
    return props.question.addressees.includes(id) && !props.question.ignored_by?.includes(id);
  };
  const choose = (choice: Choice) => void doneAfter(props, answering.give(choice.give, `Answered: ${choice.label}`));
  const ignore = () => void doneAfter(props, answering.give({ ignore: true }, 'Ignored'));
  const close = () => {
    setReplying(false);
    articleOf(props.card())?.focus();
  };
  const edit = () => {
    if (answering.typed() === '') answering.setTyped(textToEdit(props.question));
    setReplying(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const choice = store.preferences().letterKeys ? optionOfKey(event, choices()) : undefined;
    if (!choice) return;
    event.preventDefault();
    choose(choice);
  };
  onMount(() => {
    const article = articleOf(props.card());
    article?.addEventListener('keydown', onKeyDown);
    onCleanup(() => article?.removeEventListener('keydown', onKeyDown));
  });
  return (
    <Show
      when={!isReplying()}
      fallback={
        <AnswerForm
          answering={{ ...answering, give: (give, words) => doneAfter(props, answering.give(give, words)) }}
          question={props.question}
          takesFocus={isReplying() !== 'kept'}
          onClose={close}
        />
      }
    >
      <Refused answering={answering} />
      <div class="question-acts">
        <For each={choices()}>
          {(choice, index) => (
            <ChoiceButton choice={choice} index={index()} isBusy={answering.isBusy()} onChoose={() => choose(choice)} />
          )}
        </For>
        <button type="button" class="button question-reply" onClick={() => setReplying(true)}>
          Reply…
        </button>
        <Show when={choices().length > 0}>
          <button type="button" class="button question-edit" title="Begin with what is offered" onClick={edit}>
            Edit…
          </button>
        </Show>
        <Show when={mayIgnore()}>
          <button
            type="button"
            class="button question-ignore"
            data-kind="quiet"
            disabled={answering.isBusy()}
            onClick={ignore}
          >
            Ignore
          </button>
        </Show>
      </div>
    </Show>
  );
}

function ChoiceButton(props: { choice: Choice; index: number; isBusy: boolean; onChoose(): void }) {
  const key = () => (props.index < 9 ? `${props.index + 1}` : undefined);
  return (
    <button
      type="button"
      class="button question-option"
      data-kind={props.choice.isDefault ? 'main' : undefined}
      aria-keyshortcuts={key()}
      title={key() ? `Key ${key()}` : undefined}
      disabled={props.isBusy}
      onClick={() => props.onChoose()}
    >
      <span class="question-label">
        {props.choice.label}
        <Show when={props.choice.isDefault}>
          <small> default</small>
        </Show>
      </span>
      <Show when={props.choice.description}>{(words) => <small class="question-about">{words()}</small>}</Show>
    </button>
  );
}

function Refused(props: { answering: Answering }) {
  return (
    <p class="problem" role="alert">
      <Show when={props.answering.refusal()}>
        {(refusal) => <>Your answer was not taken. {refusalText(refusal())}</>}
      </Show>
    </p>
  );
}

/** The buttons are gone when it is done: the keyboard stays where the question was. */
async function doneAfter(props: ActsProps, wish: Promise<boolean>): Promise<boolean> {
  const article = articleOf(props.card());
  const hadFocus = article?.contains(document.activeElement) ?? false;
  const isDone = await wish;
  if (isDone && hadFocus && article?.isConnected) article.focus({ preventScroll: true });
  if (isDone) props.onDone?.();
  return isDone;
}

/** In fields the default fills them; otherwise it is the text to begin with. */
function textToEdit(question: Question): string {
  const fields = question.schema ? fieldsOf(question.schema) : undefined;
  return fields ? JSON.stringify(typedOf(fields, question.default)) : (editableText(question) ?? '');
}

function articleOf(card: HTMLElement | undefined): HTMLElement | null | undefined {
  return card?.closest<HTMLElement>('article');
}
