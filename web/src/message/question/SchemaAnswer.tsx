/** An answer as form fields, for a question with a simple schema. */
import { createMemo, createSignal, createUniqueId, For, Match, onMount, Show, Switch } from 'solid-js';
import { type AnswerFormProps, AnswerFrame } from './AnswerFrame';
import { buildValue, type FieldValues, readJson, type SchemaField } from './schema_fields';

export function SchemaAnswer(props: AnswerFormProps & { fields: readonly SchemaField[] }) {
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
    <AnswerFrame {...props} canSend onSend={send}>
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
    </AnswerFrame>
  );
}

function FieldRow(props: {
  field: SchemaField;
  text: string;
  problem: string | undefined;
  onInput(text: string): void;
}) {
  const id = createUniqueId();
  const fieldProps = () => ({
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
          <select {...fieldProps()} onChange={(event) => props.onInput(event.currentTarget.value)}>
            <option value="" selected={props.text === ''}>
              Choose…
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
            {...fieldProps()}
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

function readTyped(text: string): FieldValues {
  const read = readJson(text)?.value;
  const isTyped = typeof read === 'object' && read !== null && !Array.isArray(read);
  return isTyped ? (read as FieldValues) : {};
}
