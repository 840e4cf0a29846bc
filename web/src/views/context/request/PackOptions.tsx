/** The options of a context query: agent, budget, model, format. */
import { createUniqueId, For, Show } from 'solid-js';
import type { ContextFormat } from '../../../api/context_model';
import type { Agent } from '../../../api/model';
import { Choice } from '../../../parts/field/Choice';
import { TextField } from '../../../parts/field/TextField';
import { MODEL_CHARS_MAX } from '../context_route';
import { tokenCountText } from '../context_text';
import { BUDGETS, budgetAt, stopOf } from './budgets';
import { FORMATS } from './pack_formats';
import './PackOptions.css';

/** Models with different tokenizers. */
const MODELS = ['gpt-4o', 'gpt-4', 'claude', 'gemini'];
/** Until the agent's budget is loaded. */
const BUDGET_AT_FIRST = 512;

export function PackOptions(props: {
  agent: Agent;
  agents: readonly Agent[];
  onAgent(id: string): void;
  /** In tokens, chosen or the agent's; undefined until it is known. */
  budget: number | undefined;
  isOwnBudget: boolean;
  onBudget(tokens: number): void;
  /** Resets to the agent's budget. */
  onOwnBudget(): void;
  sliderRef(slider: HTMLInputElement): void;
  /** Empty means the agent's own. */
  model: string;
  isModelRefused: boolean;
  onModel(model: string): void;
  format: ContextFormat;
  onFormat(format: ContextFormat): void;
}) {
  const hint = () => FORMATS.find(({ id }) => id === props.format)?.hint ?? '';
  return (
    <fieldset class="context-options">
      <legend class="unseen">Options</legend>
      <Budget
        tokens={props.budget}
        isOwn={props.isOwnBudget}
        onChange={props.onBudget}
        onOwn={props.onOwnBudget}
        sliderRef={props.sliderRef}
      />
      <Show when={props.agents.length > 1}>
        <label class="field context-agent">
          <span class="field-label">Agent</span>
          <select value={props.agent.id} onChange={(event) => props.onAgent(event.currentTarget.value)}>
            <For each={props.agents}>
              {(agent) => (
                <option value={agent.id} selected={agent.id === props.agent.id}>
                  {agent.name}
                </option>
              )}
            </For>
          </select>
        </label>
      </Show>
      <Model agent={props.agent} model={props.model} isRefused={props.isModelRefused} onModel={props.onModel} />
      <Choice label="Format" hint={hint()} options={FORMATS} selected={props.format} onSelect={props.onFormat} />
    </fieldset>
  );
}

/** Returns the configured model of an agent. */
export function ownModel({ context, engine }: Agent): string | undefined {
  return context?.model ?? engine?.model ?? undefined;
}

/** The model whose tokenizer is used. */
function Model(props: { agent: Agent; model: string; isRefused: boolean; onModel(model: string): void }) {
  const id = createUniqueId();
  const own = () => ownModel(props.agent);
  const models = () => [...new Set([...(own() ? [own()] : []), ...MODELS])];
  return (
    <>
      <TextField
        label="Model"
        hint="Tokens are counted for this model."
        {...(props.isRefused ? { problem: 'The hub does not support this model.' } : {})}
        placeholder={own() ?? 'for example gpt-4o'}
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
    </>
  );
}

function Budget(props: {
  tokens: number | undefined;
  isOwn: boolean;
  onChange(tokens: number): void;
  onOwn(): void;
  sliderRef(slider: HTMLInputElement): void;
}) {
  const id = createUniqueId();
  const stop = () => stopOf(props.tokens ?? BUDGET_AT_FIRST);
  const words = () => (props.tokens === undefined ? '' : tokenCountText(props.tokens));
  return (
    <div class="context-budget">
      <div class="context-budget-head">
        <label class="field-label" for={id}>
          Budget
        </label>
        <span>
          {words()}
          <Show when={props.isOwn && props.tokens !== undefined}> (agent default)</Show>
        </span>
        <Show when={!props.isOwn}>
          <button
            type="button"
            class="button"
            data-kind="quiet"
            aria-label="Use default budget"
            onClick={() => props.onOwn()}
          >
            Use default
          </button>
        </Show>
      </div>
      <input
        id={id}
        ref={props.sliderRef}
        type="range"
        min={0}
        max={BUDGETS.length - 1}
        step={1}
        value={stop()}
        aria-valuetext={words()}
        style={{ '--filled': `${(100 * stop()) / (BUDGETS.length - 1)}%` }}
        onInput={(event) => props.onChange(budgetAt(event.currentTarget.valueAsNumber))}
      />
    </div>
  );
}
