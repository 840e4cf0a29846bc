/** Compares the contexts of two runs of an agent. */
import { createSignal, createUniqueId, For, type JSX, Match, Show, Switch } from 'solid-js';
import type { Difference, ReceiptItem } from '../../api/context_model';
import type { Run } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/Skeleton';
import { dateTimeLabel } from '../../parts/Time';
import { runName } from '../../platform/run_name';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { countText, levelText } from './context_text';
import { ItemLine, ItemText } from './receipt/ItemLine';
import { createLatestRequest } from './request/latest_request';

const RUNS = 20;

export function CompareRuns(props: { run: Run }) {
  const [isOpen, setOpen] = createSignal(false);
  return (
    <details class="context-fold" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Compare with…</summary>
      <Show when={isOpen()}>
        <Compare run={props.run} />
      </Show>
    </details>
  );
}

function Compare(props: { run: Run }) {
  const store = useStore();
  const [other, setOther] = createSignal('');
  const list = createPagedList<Run>({
    of: () => props.run.agent_id,
    ask: (cursor) =>
      store.commands.listRuns({ agentId: props.run.agent_id, limit: RUNS, ...(cursor ? { cursor } : {}) }),
    keyOf: (run) => run.id,
  });
  const others = () => list.pages().items.filter((run) => run.id !== props.run.id);
  /** The earlier run comes first. */
  const pair = () => {
    const chosen = others().find((run) => run.id === other());
    if (!chosen) return undefined;
    const isLater = Date.parse(chosen.started_at) > Date.parse(props.run.started_at);
    return isLater ? ([props.run.id, chosen.id] as const) : ([chosen.id, props.run.id] as const);
  };
  return (
    <div class="context-seen">
      <Show when={others().length > 0}>
        <label class="field">
          <span>Another run of the agent</span>
          <select value={other()} onChange={(event) => setOther(event.currentTarget.value)}>
            <option value="">Choose a run</option>
            <For each={others()}>{(run) => <option value={run.id}>{optionText(run)}</option>}</For>
          </select>
        </label>
      </Show>
      <Show when={others().length === 0 && list.pages().state === 'done'}>
        <p class="hint">No other run that you can see.</p>
      </Show>
      <ListEnd pages={list.pages()} onMore={list.more} />
      <Show when={pair()} keyed>
        {([before, after]) => <Compared before={before} after={after} />}
      </Show>
    </div>
  );
}

function optionText(run: Run): string {
  return [runName(run.id), dateTimeLabel(run.started_at, Date.now()), run.label].filter(Boolean).join(' · ');
}

function Compared(props: { before: string; after: string }) {
  const store = useStore();
  const asking = createLatestRequest(
    () => [props.before, props.after] as const,
    ([before, after]) => store.commands.compareRuns(before, after),
  );
  return (
    <Switch fallback={<Skeleton label="Loading the difference" lines={4} />}>
      <Match when={asking.refusal()}>
        {(why) => (
          <EmptyState icon="warning" action={{ label: 'Try again', run: asking.again }}>
            {why().message} ({why().code})
          </EmptyState>
        )}
      </Match>
      <Match when={asking.answer()}>
        {(found) => <DifferenceView difference={found()} before={props.before} after={props.after} />}
      </Match>
    </Switch>
  );
}

function DifferenceView(props: { difference: Difference; before: string; after: string }) {
  return (
    <>
      <p class="hint" role="status">
        {sameWords(props.difference.same)}
      </p>
      <ReceiptPart title={`Only ${runName(props.before)}, before`} items={props.difference.only_before} />
      <ReceiptPart title={`Only ${runName(props.after)}, after`} items={props.difference.only_after} />
      <Group title="Shown differently" count={props.difference.changed.length}>
        <For each={props.difference.changed}>
          {([earlier, later]) => (
            <Show when={later}>
              {(now) => (
                <ItemLine item={now()}>
                  <Then title={`Before, ${lengthOf(earlier)}`} item={earlier} />
                  <Then title={`After, ${lengthOf(now())}`} item={now()} />
                </ItemLine>
              )}
            </Show>
          )}
        </For>
      </Group>
    </>
  );
}

function ReceiptPart(props: { title: string; items: readonly ReceiptItem[] }) {
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

function Then(props: { title: string; item: ReceiptItem | undefined }) {
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

function sameWords(same: number): string {
  if (same === 0) return 'Nothing was shown to both in the same way.';
  return same === 1
    ? 'One item was shown to both in the same way.'
    : `${countText(same)} items were shown to both in the same way.`;
}
