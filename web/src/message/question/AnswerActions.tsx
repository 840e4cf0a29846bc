/** Actions of a member who may answer a question: options, free answers and ignoring. */
import { createMemo, createSignal, For, onCleanup, onMount, Show } from 'solid-js';
import type { Question } from '../../api/model';
import { refusalText } from '../../parts/toast/toast_refusal';
import { useStore } from '../../state/store_context';
import { AnswerForm } from './AnswerForm';
import type { AnswerState } from './answer_state';
import { type AnswerChoice, choicesOf, editableText } from './choices';
import { optionOfKey } from './option_keys';
import type { CardProps } from './QuestionCard';
import type { Viewer } from './question_text';
import { fieldsOf, fieldValuesOf } from './schema_fields';

export interface QuestionActionsProps extends CardProps {
  answerState: AnswerState;
  viewer: Viewer;
  card(): HTMLElement | undefined;
}

export function AnswerActions(props: QuestionActionsProps) {
  const { answerState } = props;
  const store = useStore();
  const choices = createMemo(() => choicesOf(props.question));
  /** A kept text is shown without taking the focus. */
  const [isReplying, setReplying] = createSignal<boolean | 'kept'>(answerState.typed() === '' ? false : 'kept');
  const mayIgnore = () => {
    const id = props.viewer.readerId ?? '';
    return props.question.addressees.includes(id) && !props.question.ignored_by?.includes(id);
  };
  const choose = (choice: AnswerChoice) =>
    void doneAfter(props, answerState.give(choice.give, `Answered: ${choice.label}`));
  const ignore = () => void doneAfter(props, answerState.give({ ignore: true }, 'Ignored'));
  const close = () => {
    setReplying(false);
    articleOf(props.card())?.focus();
  };
  const edit = () => {
    if (answerState.typed() === '') answerState.setTyped(textToEdit(props.question));
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
          answerState={{ ...answerState, give: (give, words) => doneAfter(props, answerState.give(give, words)) }}
          question={props.question}
          takesFocus={isReplying() !== 'kept'}
          onClose={close}
        />
      }
    >
      <AnswerRefusal answerState={answerState} />
      <div class="question-acts">
        <For each={choices()}>
          {(choice, index) => (
            <ChoiceButton
              choice={choice}
              index={index()}
              isBusy={answerState.isBusy()}
              onChoose={() => choose(choice)}
            />
          )}
        </For>
        <button type="button" class="button question-reply" onClick={() => setReplying(true)}>
          Reply…
        </button>
        <Show when={choices().length > 0}>
          <button type="button" class="button question-edit" title="Start from the default answer" onClick={edit}>
            Edit…
          </button>
        </Show>
        <Show when={mayIgnore()}>
          <button
            type="button"
            class="button question-ignore"
            data-kind="quiet"
            disabled={answerState.isBusy()}
            onClick={ignore}
          >
            Ignore
          </button>
        </Show>
      </div>
    </Show>
  );
}

function ChoiceButton(props: { choice: AnswerChoice; index: number; isBusy: boolean; onChoose(): void }) {
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

export function AnswerRefusal(props: { answerState: AnswerState }) {
  return (
    <p class="problem" role="alert">
      <Show when={props.answerState.refusal()}>
        {(refusal) => <>Your answer was not accepted. {refusalText(refusal())}</>}
      </Show>
    </p>
  );
}

/** The buttons disappear afterwards, so the focus moves to the row. */
export async function doneAfter(props: QuestionActionsProps, request: Promise<boolean>): Promise<boolean> {
  const article = articleOf(props.card());
  const hadFocus = article?.contains(document.activeElement) ?? false;
  const isDone = await request;
  if (isDone && hadFocus && article?.isConnected) article.focus({ preventScroll: true });
  if (isDone) props.onDone?.();
  return isDone;
}

/** Returns the default as field values or as text. */
function textToEdit(question: Question): string {
  const fields = question.schema ? fieldsOf(question.schema) : undefined;
  return fields ? JSON.stringify(fieldValuesOf(fields, question.default)) : (editableText(question) ?? '');
}

function articleOf(card: HTMLElement | undefined): HTMLElement | null | undefined {
  return card?.closest<HTMLElement>('article');
}
