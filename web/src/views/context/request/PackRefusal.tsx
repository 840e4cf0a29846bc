/** Why there is no answer, what of the last one is still there, and what to do. */
import { Show } from 'solid-js';
import type { ContextFormat } from '../../../api/context_model';
import type { Refusal } from '../../../api/refusal';
import { Icon } from '../../../parts/Icon';
import { tokenCountText } from '../context_text';
import { BUDGETS } from './budgets';

/** A budget in which nothing can be said. */
const TOO_SMALL = 'PARLOUR-M06';

export interface LastPack {
  readonly budget: number;
  readonly model?: string | null | undefined;
  readonly format?: ContextFormat | undefined;
}

const IN_FORM = { native: ', in a turn', pack: '', injection: ', in an injection' } as const satisfies Record<
  ContextFormat,
  string
>;

/** "in 512 tokens of claude, in an injection" */
export function lastPackText({ budget, model, format = 'pack' }: LastPack): string {
  return `in ${tokenCountText(budget)}${model ? ` of ${model}` : ''}${IN_FORM[format]}`;
}

export function PackRefusal(props: {
  why: Refusal;
  /** What the answer that is still in sight was asked with. */
  kept: LastPack | undefined;
  onBudget(tokens: number): void;
  onAgain(): void;
}) {
  const enough = () => (props.why.code === TOO_SMALL ? budgetFor(props.why.more.candidates) : undefined);
  return (
    <div class="context-refused" role="alert">
      <p>
        <Icon name="warning" size={16} />
        <span>
          {fieldWords(props.why.more.field)}
          {props.why.message} ({props.why.code})
        </span>
      </p>
      <Show when={props.kept}>{(kept) => <p class="hint">Below is what it would see {lastPackText(kept())}.</p>}</Show>
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
            Take {tokenCountText(tokens())}
          </button>
        )}
      </Show>
    </div>
  );
}

/** Which of the choices was refused, as it is called beside it. */
function fieldWords(field: string | undefined): string {
  return field === 'model' ? 'Model: ' : '';
}

/** The smallest stop that has what the hub says is needed; what is needed itself, where no stop has it. */
export function budgetFor(candidates: readonly string[] | undefined): number | undefined {
  const needed = Number(candidates?.[0]);
  if (!Number.isSafeInteger(needed) || needed <= 0) return undefined;
  return BUDGETS.find((stop) => stop >= needed) ?? needed;
}
