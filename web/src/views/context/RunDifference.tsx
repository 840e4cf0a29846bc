/** The difference between the contexts of two runs: items of one run only, and changed items. */
import { createUniqueId, For, type JSX, Show } from 'solid-js';
import type { Difference, ReceiptItem } from '../../api/context_model';
import { runName } from '../../platform/run_name';
import { countText, levelText } from './context_text';
import { ItemLine, ItemText } from './receipt/ItemLine';

export function RunDifference(props: { difference: Difference; before: string; after: string }) {
  return (
    <>
      <p class="hint" role="status">
        {sameItemsText(props.difference.same)}
      </p>
      <ItemGroup title={`Only in ${runName(props.before)}, the earlier run`} items={props.difference.only_before} />
      <ItemGroup title={`Only in ${runName(props.after)}, the later run`} items={props.difference.only_after} />
      <Group title="Changed" count={props.difference.changed.length}>
        <For each={props.difference.changed}>
          {([earlier, later]) => (
            <Show when={later}>
              {(now) => (
                <ItemLine item={now()}>
                  <ComparedText title={`Earlier run: ${lengthOf(earlier)}`} item={earlier} />
                  <ComparedText title={`Later run: ${lengthOf(now())}`} item={now()} />
                </ItemLine>
              )}
            </Show>
          )}
        </For>
      </Group>
    </>
  );
}

function ItemGroup(props: { title: string; items: readonly ReceiptItem[] }) {
  return (
    <Group title={props.title} count={props.items.length}>
      <For each={props.items}>{(item) => <ItemLine item={item} />}</For>
    </Group>
  );
}

function Group(props: { title: string; count: number; children: JSX.Element }) {
  const id = createUniqueId();
  return (
    <Show when={props.count > 0}>
      <section class="context-part" aria-labelledby={id}>
        <h4 id={id}>
          {props.title} ({countText(props.count)})
        </h4>
        <ul class="context-items">{props.children}</ul>
      </section>
    </Show>
  );
}

function ComparedText(props: { title: string; item: ReceiptItem | undefined }) {
  return (
    <Show when={props.item}>
      {(item) => (
        <>
          <p class="context-then">{props.title}</p>
          <ItemText item={item()} />
        </>
      )}
    </Show>
  );
}

function lengthOf(item: ReceiptItem | undefined): string {
  return item?.level ? levelText(item.level) : 'not shown';
}

function sameItemsText(same: number): string {
  if (same === 0) return 'No item is the same in both runs.';
  return same === 1 ? 'One item is the same in both runs.' : `${countText(same)} items are the same in both runs.`;
}
