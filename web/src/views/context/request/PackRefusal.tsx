/** Why there is no result, which one is still shown, and what to do. */
import { Show } from 'solid-js';
import type { ContextFormat } from '../../../api/context_model';
import type { Refusal } from '../../../api/refusal';
import { Icon } from '../../../parts/Icon';
import { tokenCountText } from '../context_text';
import { BUDGETS } from './budgets';
import './PackRefusal.css';

/** Refusal code: the budget is too small. */
const BUDGET_TOO_SMALL_CODE = 'PARLOUR-M06';

export interface LastPack {
  readonly budget: number;
  readonly model?: string | null | undefined;
  readonly format?: ContextFormat | undefined;
}

const AS_FORMAT = { native: ', as a turn', pack: '', injection: ', as an injection' } as const satisfies Record<
  ContextFormat,
  string
>;

/** Returns "with 512 tokens for claude, as an injection" */
export function lastPackText({ budget, model, format = 'pack' }: LastPack): string {
  return `with ${tokenCountText(budget)}${model ? ` for ${model}` : ''}${AS_FORMAT[format]}`;
}

export function PackRefusal(props: {
  why: Refusal;
  /** The options of the result that is still shown. */
  kept: LastPack | undefined;
  onBudget(tokens: number): void;
  onAgain(): void;
}) {
  const enough = () => (props.why.code === BUDGET_TOO_SMALL_CODE ? budgetFor(props.why.more.candidates) : undefined);
  return (
    <div class="context-refused" role="alert">
      <p>
        <Icon name="warning" size={16} />
        <span>
          {fieldText(props.why.more.field)}
          {props.why.message} ({props.why.code})
        </span>
      </p>
      <Show when={props.kept}>{(kept) => <p class="hint">The last preview is below, {lastPackText(kept())}.</p>}</Show>
      <Show
        when={enough()}
        fallback={
          <button type="button" class="button" onClick={() => props.onAgain()}>
            Try again
          </button>
        }
      >
        {(tokens) => (
          <button type="button" class="button" onClick={() => props.onBudget(tokens())}>
            Use {tokenCountText(tokens())}
          </button>
        )}
      </Show>
    </div>
  );
}

/** Returns the label of the refused option. */
function fieldText(field: string | undefined): string {
  return field === 'model' ? 'Model: ' : '';
}

/** Returns the smallest budget step that is large enough; the required size where no step is. */
export function budgetFor(candidates: readonly string[] | undefined): number | undefined {
  const needed = Number(candidates?.[0]);
  if (!Number.isSafeInteger(needed) || needed <= 0) return undefined;
  return BUDGETS.find((stop) => stop >= needed) ?? needed;
}
