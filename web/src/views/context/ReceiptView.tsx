/** What is shown, section by section, and what is left out. */
import { createMemo, createUniqueId, For, type JSX, Show } from 'solid-js';
import type { LeftOut, Receipt, ReceiptItem, Section } from '../../api/context_model';
import { CopyButton } from '../../parts/CopyButton';
import { capital, countText, leftOutWords, sectionWords, takenOutWords, tokensWords } from './context_words';
import { ItemLine } from './ItemLine';
import { MarkedText } from './MarkedText';

/** The heading above it decides: sections stand one below it. */
type HeadingLevel = 3 | 4;

export function ReceiptView(props: { receipt: Receipt; headings: HeadingLevel }) {
  const kinds = createMemo(() => kindsOf(props.receipt));
  const shown = createMemo(() => props.receipt.items.filter((item) => item.level));
  const sections = createMemo(() => [...new Set(shown().map((item) => item.section))]);
  const ofSection = (section: Section) => shown().filter((item) => item.section === section);
  const tokensOf = (section: Section) => props.receipt.sections.find((one) => one.section === section)?.tokens ?? 0;
  return (
    <>
      <Show when={takenOutWords(props.receipt)}>{(words) => <p class="hint">{words()}</p>}</Show>
      <For each={sections()}>
        {(section) => (
          <Part level={props.headings} title={`${sectionWords(section)} · ${tokensWords(tokensOf(section))}`}>
            <Items items={ofSection(section)} kinds={kinds()} />
          </Part>
        )}
      </For>
      <LeftOutList receipt={props.receipt} headings={props.headings} />
    </>
  );
}

/** A newer answer changes the lines that are there: whoever is on one of them stays on it. */
function Items(props: { items: readonly ReceiptItem[]; kinds?: ReadonlySet<string> | undefined }) {
  const byKey = createMemo(() => new Map(props.items.map((item) => [`${item.type} ${item.id}`, item])));
  return (
    <ul class="context-items">
      <For each={[...byKey().keys()]}>
        {(key) => <Show when={byKey().get(key)}>{(item) => <ItemLine item={item()} kinds={props.kinds} />}</Show>}
      </For>
    </ul>
  );
}

function Part(props: { level: HeadingLevel; title: string; children: JSX.Element }) {
  const id = createUniqueId();
  return (
    <section class="context-part" aria-labelledby={id}>
      <Show when={props.level === 3} fallback={<h4 id={id}>{props.title}</h4>}>
        <h3 id={id}>{props.title}</h3>
      </Show>
      {props.children}
    </section>
  );
}

function LeftOutList(props: { receipt: Receipt; headings: HeadingLevel }) {
  const items = createMemo(() => props.receipt.items.filter((item) => !item.level));
  const reasons = createMemo(() => [...new Set(items().map(whyOf))]);
  const unlisted = () => props.receipt.unlisted ?? 0;
  const because = (why: LeftOut | undefined) => items().filter((item) => whyOf(item) === why);
  return (
    <Show when={items().length + unlisted() > 0}>
      <details class="context-fold">
        <summary>Left out ({countText(items().length + unlisted())})</summary>
        <div class="context-seen">
          <For each={reasons()}>
            {(why) => (
              <Part level={props.headings} title={`${whyWords(why)} (${countText(because(why).length)})`}>
                <Items items={because(why)} />
              </Part>
            )}
          </For>
          <Show when={unlisted() > 0}>
            <p class="hint">and {countText(unlisted())} more that are not listed</p>
          </Show>
        </div>
      </details>
    </Show>
  );
}

const whyOf = (item: ReceiptItem): LeftOut | undefined => item.left_out ?? undefined;

function whyWords(why: LeftOut | undefined): string {
  return why ? capital(leftOutWords(why)) : 'Not shown';
}

/** The whole text, as it stands in the prompt. */
export function WholeText(props: { text: string; receipt: Receipt }) {
  return (
    <>
      <CopyButton text={() => props.text} label="Copy the text" />
      <details class="context-fold">
        <summary>The whole text</summary>
        <p class="context-text">
          <MarkedText text={props.text} kinds={kindsOf(props.receipt) ?? new Set()} />
        </p>
      </details>
    </>
  );
}

/** Undefined where the receipt does not tell: a part of it may be hidden from the reader. */
function kindsOf({ redactions = [] }: Receipt): ReadonlySet<string> | undefined {
  return redactions.length > 0 ? new Set(redactions.map(({ kind }) => kind)) : undefined;
}
