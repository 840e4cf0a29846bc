/** What can be chosen: how much it may cost, for which model, in which form. */
import { createUniqueId, For, Show } from 'solid-js';
import type { ContextFormat } from '../../api/context_model';
import type { Agent } from '../../api/model';
import { Choice } from '../../parts/Choice';
import { TextField } from '../../parts/TextField';
import { BUDGETS, budgetAt, stopOf } from './budgets';
import { tokensWords } from './context_words';

/** Models whose ways of counting differ. */
const MODELS = ['gpt-4o', 'gpt-4', 'claude', 'gemini'];
const MODEL_CHARS_MAX = 128;
/** Until the hub has told the budget of the agent. */
const BUDGET_AT_FIRST = 512;

const FORMATS = [
  { id: 'pack', label: 'Pack' },
  { id: 'injection', label: 'Injection' },
] as const satisfies readonly { id: ContextFormat; label: string }[];

export function ContextWish(props: {
  agent: Agent;
  /** In tokens, chosen or as the rules of the agent have it; undefined until it is known. */
  budget: number | undefined;
  isOwnBudget: boolean;
  onBudget(tokens: number | undefined): void;
  /** Empty means the agent's own. */
  model: string;
  onModel(model: string): void;
  format: ContextFormat;
  onFormat(format: ContextFormat): void;
}) {
  const id = createUniqueId();
  const own = () => props.agent.engine?.model ?? undefined;
  const models = () => [...new Set([...MODELS, ...(own() ? [own()] : [])])];
  return (
    <fieldset class="context-wish">
      <legend class="unseen">What it is made for</legend>
      <Budget tokens={props.budget} isOwn={props.isOwnBudget} onChange={props.onBudget} />
      <TextField
        label="Model"
        hint="Its way of counting tokens is used."
        placeholder={own() ? `${own()} (its own)` : 'its own'}
        list={`${id}-models`}
        maxLength={MODEL_CHARS_MAX}
        autocomplete="off"
        spellcheck={false}
        value={props.model}
        onInput={(event) => props.onModel(event.currentTarget.value)}
      />
      <datalist id={`${id}-models`}>
        <For each={models()}>{(model) => <option value={model} />}</For>
      </datalist>
      <Choice
        label="Form"
        hint="A pack stands at the beginning of a turn; an injection comes into the middle of one."
        options={FORMATS}
        selected={props.format}
        onSelect={props.onFormat}
      />
    </fieldset>
  );
}

function Budget(props: { tokens: number | undefined; isOwn: boolean; onChange(tokens: number | undefined): void }) {
  const id = createUniqueId();
  const stop = () => stopOf(props.tokens ?? BUDGET_AT_FIRST);
  const words = () => (props.tokens === undefined ? '' : tokensWords(props.tokens));
  return (
    <div class="context-budget">
      <div class="context-budget-head">
        <label class="field-label" for={id}>
          Budget
        </label>
        <span>
          {words()}
          <Show when={props.isOwn && props.tokens !== undefined}>, as its rules have it</Show>
        </span>
        <Show when={!props.isOwn}>
          <button type="button" class="button" data-kind="quiet" onClick={() => props.onChange(undefined)}>
            As its rules have it
          </button>
        </Show>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={BUDGETS.length - 1}
        step={1}
        value={stop()}
        aria-valuetext={words()}
        onInput={(event) => props.onChange(budgetAt(event.currentTarget.valueAsNumber))}
      />
    </div>
  );
}
