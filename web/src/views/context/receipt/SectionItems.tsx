/** Included candidates of a section. There can be hundreds: created in steps, those closest to the question first. */
import { createSignal, Show } from 'solid-js';
import type { ReceiptItem, Section } from '../../../api/context_model';
import { countText } from '../context_text';
import { Items } from './Items';
import { LINES_STEP } from './LeftOutList';
import type { TypedMarks } from './typed_marks';

export function SectionItems(props: {
  section: Section;
  items: readonly ReceiptItem[];
  kinds: ReadonlySet<string> | undefined;
  typed: TypedMarks;
}) {
  let part: HTMLDivElement | undefined;
  const [linesMax, setLinesMax] = createSignal(LINES_STEP);
  /** A conversation ends with the question: its start is shown on demand. */
  const isFromEnd = () => props.section === 'history';
  const built = () => (isFromEnd() ? props.items.slice(-linesMax()) : props.items.slice(0, linesMax()));
  const rest = () => props.items.length - built().length;
  /** The focus moves to the first new line: the button may disappear. */
  const showMore = () => {
    const before = built().length;
    setLinesMax(before + LINES_STEP);
    const lines = part?.querySelectorAll<HTMLElement>('.context-item');
    lines?.[isFromEnd() ? 0 : before]?.querySelector<HTMLElement>('a')?.focus();
  };
  const More = () => (
    <Show when={rest() > 0}>
      <button type="button" class="button" onClick={showMore}>
        Show {countText(Math.min(rest(), LINES_STEP))} {isFromEnd() ? 'earlier' : 'more'} of {countText(rest())}
      </button>
    </Show>
  );
  return (
    <div class="context-seen" ref={part}>
      <Show when={isFromEnd()}>
        <More />
      </Show>
      <Items items={built()} kinds={props.kinds} typed={props.typed} />
      <Show when={!isFromEnd()}>
        <More />
      </Show>
    </div>
  );
}
