/** A receipt: included candidates by section, and those left out. */
import { createMemo, For, Show } from 'solid-js';
import type { Pack, Receipt, Section } from '../../../api/context_model';
import { CopyButton } from '../../../parts/CopyButton';
import { useStore } from '../../../state/store_context';
import { redactionText, sectionText, tokenCountText } from '../context_text';
import { type HeadingLevel, ReceiptPart } from './Items';
import { LeftOutList } from './LeftOutList';
import { RedactedText } from './RedactedText';
import { SectionItems } from './SectionItems';
import { createTypedMarks } from './typed_marks';
import './ReceiptView.css';

export function ReceiptView(props: { receipt: Receipt; headings: HeadingLevel }) {
  const store = useStore();
  const kinds = createMemo(() => kindsOf(props.receipt));
  const typed = createTypedMarks(() => props.receipt, kinds, store.commands);
  const shown = createMemo(() => props.receipt.items.filter((item) => item.level));
  const sections = createMemo(() => [...new Set(shown().map((item) => item.section))]);
  const ofSection = (section: Section) => shown().filter((item) => item.section === section);
  const tokensOf = (section: Section) => props.receipt.sections.find((one) => one.section === section)?.tokens ?? 0;
  return (
    <>
      <Show when={redactionText(props.receipt)}>{(words) => <p class="hint">{words()}</p>}</Show>
      <For each={sections()}>
        {(section) => (
          <ReceiptPart level={props.headings} title={`${sectionText(section)} · ${tokenCountText(tokensOf(section))}`}>
            <SectionItems section={section} items={ofSection(section)} kinds={kinds()} typed={typed} />
          </ReceiptPart>
        )}
      </For>
      <LeftOutList receipt={props.receipt} headings={props.headings} />
    </>
  );
}

/** The text of the prompt; a turn has the conversation beside it. */
export function WholeText(props: { text: string; format: Pack['format']; receipt: Receipt }) {
  const store = useStore();
  const kinds = createMemo(() => kindsOf(props.receipt));
  const typed = createTypedMarks(() => props.receipt, kinds, store.commands);
  const isWhole = () => props.format === 'pack' || props.format === 'injection' || props.format === 'last_20';
  return (
    <>
      <CopyButton text={() => props.text} label="Copy the text" />
      <details class="context-fold">
        <summary>{isWhole() ? 'Full text' : 'Text in addition to the conversation'}</summary>
        <p class="context-text">
          <RedactedText text={props.text} kinds={kinds() ?? new Set()} typed={typed.all()} />
        </p>
      </details>
    </>
  );
}

/** Undefined when the receipt has no counts: a part may be hidden from the reader. */
function kindsOf({ redactions = [] }: Receipt): ReadonlySet<string> | undefined {
  return redactions.length > 0 ? new Set(redactions.map(({ kind }) => kind)) : undefined;
}
