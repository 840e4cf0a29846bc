/** The answer form: free text, or fields for the question's schema. Typed values stay until the answer is accepted. */
import { createMemo, createSignal, createUniqueId, For, Match, onMount, Show, Switch } from 'solid-js';
import type { Question } from '../../api/model';
import { refusalText } from '../../parts/toast_refusal';
import { useStore } from '../../state/store_context';
import type { AnswerState } from './answer_state';
import { buildValue, fieldsOf, type SchemaField, type Typed } from './schema_fields';

interface FormProps {
  answerState: AnswerState;
  question: Question;
  takesFocus: boolean;
  onClose(): void;
}

export function AnswerForm(props: FormProps) {
  const fields = createMemo(() => (props.question.schema ? fieldsOf(props.question.schema) : undefined));
  return (
    <Show when={fields()} fallback={<TextAnswer {...props} />}>
      {(list) => <FieldsAnswer {...props} fields={list()} />}
    </Show>
  );
}

/** Free text, or JSON for a schema that is too complex for fields. */
function TextAnswer(props: FormProps) {
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
    if (value === undefined) setProblem('This is no JSON: look for a missing quote, comma or bracket.');
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
    <Frame {...props} problem={problem()} canSend={answerState.typed().trim() !== ''} onSend={send}>
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
        <Rule schema={props.question.schema} />
      </Show>
    </Frame>
  );
}

/** The schema that the hub validates the answer against. */
function Rule(props: { schema: unknown }) {
  return (
    <details class="question-rule">
      <summary>What the answer must look like</summary>
      <pre>
        <code>{JSON.stringify(props.schema, null, 2)}</code>
      </pre>
    </details>
  );
}

function FieldsAnswer(props: FormProps & { fields: readonly SchemaField[] }) {
  const { answerState } = props;
  const typed = createMemo(() => readTyped(answerState.typed()));
  const [problem, setProblem] = createSignal<{ field: string; problem: string }>();
  let form: HTMLDivElement | undefined;
  const focusOn = (name: string) => {
    const index = props.fields.findIndex((field) => field.name === name);
    form?.querySelectorAll<HTMLElement>('input, select')[Math.max(0, index)]?.focus();
  };
  onMount(() => props.takesFocus && focusOn(props.fields[0]?.name ?? ''));
  const set = (name: string, text: string) => {
    setProblem(undefined);
    answerState.forgetRefusal();
    answerState.setTyped(JSON.stringify({ ...typed(), [name]: text }));
  };
  const send = () => {
    const built = buildValue(props.fields, typed());
    if ('value' in built) return void answerState.give({ value: built.value }, 'Answered');
    setProblem(built);
    focusOn(built.field);
  };
  return (
    <Frame {...props} canSend onSend={send}>
      <div class="question-fields" ref={form}>
        <For each={props.fields}>
          {(field) => (
            <FieldRow
              field={field}
              text={typed()[field.name] ?? ''}
              problem={problem()?.field === field.name ? problem()?.problem : undefined}
              onInput={(text) => set(field.name, text)}
            />
          )}
        </For>
      </div>
    </Frame>
  );
}

function FieldRow(props: {
  field: SchemaField;
  text: string;
  problem: string | undefined;
  onInput(text: string): void;
}) {
  const id = createUniqueId();
  const told = () => ({
    id,
    'aria-required': props.field.isRequired,
    'aria-invalid': props.problem ? ('true' as const) : undefined,
    'aria-describedby': `${id}-hint ${id}-problem`,
  });
  const values = () => (props.field.kind === 'boolean' ? ['true', 'false'] : (props.field.values ?? []));
  const shown = (value: string | number) => {
    if (props.field.kind !== 'boolean') return String(value);
    return value === 'true' ? 'Yes' : 'No';
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.field.label}
        <Show when={!props.field.isRequired}>
          <small class="hint"> optional</small>
        </Show>
      </label>
      <Switch>
        <Match when={props.field.kind === 'choice' || props.field.kind === 'boolean'}>
          <select {...told()} onChange={(event) => props.onInput(event.currentTarget.value)}>
            <option value="" selected={props.text === ''}>
              Choose …
            </option>
            <For each={values()}>
              {(value) => (
                <option value={value} selected={String(value) === props.text}>
                  {shown(value)}
                </option>
              )}
            </For>
          </select>
        </Match>
        <Match when={true}>
          <input
            {...told()}
            type="text"
            inputmode={props.field.kind === 'text' ? undefined : 'decimal'}
            value={props.text}
            onInput={(event) => props.onInput(event.currentTarget.value)}
          />
        </Match>
      </Switch>
      <small id={`${id}-hint`}>{props.field.hint}</small>
      <p class="problem" role="alert" id={`${id}-problem`}>
        {props.problem}
      </p>
    </div>
  );
}

/** Buttons and refusals of both forms. Escape closes it; typed values stay. */
function Frame(
  props: FormProps & {
    problem?: string | undefined;
    canSend: boolean;
    onSend(): void;
    children: import('solid-js').JSX.Element;
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

function readJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function readTyped(text: string): Typed {
  const read = readJson(text)?.value;
  const isTyped = typeof read === 'object' && read !== null && !Array.isArray(read);
  return isTyped ? (read as Typed) : {};
}
