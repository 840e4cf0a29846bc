/** Candidates below a heading. */
import { createMemo, createUniqueId, For, type JSX, Show } from 'solid-js';
import type { ReceiptItem } from '../../../api/context_model';
import { ItemLine } from './ItemLine';
import type { TypedMarks } from './typed_marks';
import './Items.css';

export type HeadingLevel = 3 | 4;

/** A new result updates existing lines, so the focus stays on its line. */
export function Items(props: {
  items: readonly ReceiptItem[];
  kinds?: ReadonlySet<string> | undefined;
  typed?: TypedMarks | undefined;
}) {
  const byKey = createMemo(() => new Map(props.items.map((item) => [`${item.type} ${item.id}`, item])));
  return (
    <ul class="context-items">
      <For each={[...byKey().keys()]}>
        {(key) => (
          <Show when={byKey().get(key)}>
            {(item) => <ItemLine item={item()} kinds={props.kinds} typed={props.typed?.of(item().id)} />}
          </Show>
        )}
      </For>
    </ul>
  );
}

export function ReceiptPart(props: { level: HeadingLevel; title: string; children: JSX.Element }) {
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
