/** Candidates that were left out, by reason. There can be hundreds: they are created when opened, in steps. */

import { createMemo, createSignal, For, Show } from 'solid-js';
import type { LeftOut, Receipt, ReceiptItem } from '../../../api/context_model';
import { capitalize } from '../../../text/wording';
import { countText, leftOutText } from '../context_text';
import { type HeadingLevel, Items, ReceiptPart } from './Items';

/** Lines created at once. */
export const LINES_STEP = 50;

export function LeftOutList(props: { receipt: Receipt; headings: HeadingLevel }) {
  let fold: HTMLDetailsElement | undefined;
  const [isOpen, setOpen] = createSignal(false);
  const [linesMax, setLinesMax] = createSignal(LINES_STEP);
  const items = createMemo(() => props.receipt.items.filter((item) => !item.level));
  const reasons = createMemo(() => [...new Set(items().map(whyOf))]);
  const unlisted = () => props.receipt.unlisted ?? 0;
  const because = (why: LeftOut | undefined) => items().filter((item) => whyOf(item) === why);
  const built = createMemo(() => new Set(reasons().flatMap(because).slice(0, linesMax())));
  const builtOf = (why: LeftOut | undefined) => because(why).filter((item) => built().has(item));
  const rest = () => items().length - built().size;
  /** The focus moves to the first new line: the button may disappear. */
  const showMore = () => {
    const before = built().size;
    setLinesMax(before + LINES_STEP);
    fold?.querySelectorAll<HTMLElement>('.context-item')[before]?.querySelector<HTMLElement>('a')?.focus();
  };
  return (
    <Show when={items().length + unlisted() > 0}>
      <details class="context-fold" ref={fold} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Left out ({countText(items().length + unlisted())})</summary>
        <Show when={isOpen()}>
          <div class="context-seen">
            <For each={reasons().filter((why) => builtOf(why).length > 0)}>
              {(why) => (
                <ReceiptPart level={props.headings} title={`${whyText(why)} (${countText(because(why).length)})`}>
                  <Items items={builtOf(why)} />
                </ReceiptPart>
              )}
            </For>
            <Show when={rest() > 0}>
              <button type="button" class="button" onClick={showMore}>
                Show {countText(Math.min(rest(), LINES_STEP))} more of {countText(rest())}
              </button>
            </Show>
            <Show when={unlisted() > 0}>
              <p class="hint">and {countText(unlisted())} more that are not listed</p>
            </Show>
          </div>
        </Show>
      </details>
    </Show>
  );
}

const whyOf = (item: ReceiptItem): LeftOut | undefined => item.left_out ?? undefined;

function whyText(why: LeftOut | undefined): string {
  return why ? capitalize(leftOutText(why)) : 'Not shown';
}
