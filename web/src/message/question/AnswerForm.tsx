/** The answer form: free text, or fields for the question's schema. Typed values stay until the answer is accepted. */
import { createMemo, createSignal, onMount, Show } from 'solid-js';
import { useStore } from '../../state/store_context';
import { type AnswerFormProps, AnswerFrame } from './AnswerFrame';
import { SchemaAnswer } from './SchemaAnswer';
import { fieldsOf, readJson } from './schema_fields';

export function AnswerForm(props: AnswerFormProps) {
  const fields = createMemo(() => (props.question.schema ? fieldsOf(props.question.schema) : undefined));
  return (
    <Show when={fields()} fallback={<TextAnswer {...props} />}>
      {(list) => <SchemaAnswer {...props} fields={list()} />}
    </Show>
  );
}

/** Free text, or JSON for a schema that is too complex for fields. */
function TextAnswer(props: AnswerFormProps) {
  const store = useStore();
  const { answerState } = props;
  const isJson = () => Boolean(props.question.schema);
  const [problem, setProblem] = createSignal<string>();
  let field: HTMLTextAreaElement | undefined;
  onMount(() => props.takesFocus && field?.focus());
  const send = () => {
    const text = answerState.typed().trim();
    if (text === '') return;
    if (!isJson()) return void answerState.give({ text }, 'Answered');
    const value = readJson(text);
    if (value === undefined) setProblem('This is not valid JSON. Check for a missing quote, comma or bracket.');
    else void answerState.give({ value: value.value }, 'Answered');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (!isModified && (event.shiftKey || isJson() || !store.preferences().enterSends)) return;
    event.preventDefault();
    send();
  };
  return (
    <AnswerFrame {...props} problem={problem()} canSend={answerState.typed().trim() !== ''} onSend={send}>
      <textarea
        ref={field}
        class="question-text"
        rows={isJson() ? 5 : 2}
        aria-label={isJson() ? 'Your answer, as JSON' : 'Your answer'}
        placeholder={isJson() ? '{ … }' : 'Your answer'}
        spellcheck={!isJson()}
        data-json={isJson() ? '' : undefined}
        value={answerState.typed()}
        onInput={(event) => {
          setProblem(undefined);
          answerState.forgetRefusal();
          answerState.setTyped(event.currentTarget.value);
        }}
        on:keydown={onKeyDown}
      />
      <Show when={isJson()}>
        <SchemaText schema={props.question.schema} />
      </Show>
    </AnswerFrame>
  );
}

/** The schema that the hub validates the answer against. */
function SchemaText(props: { schema: unknown }) {
  return (
    <details class="question-rule">
      <summary>Required format</summary>
      <pre>
        <code>{JSON.stringify(props.schema, null, 2)}</code>
      </pre>
    </details>
  );
}
