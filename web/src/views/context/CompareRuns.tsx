/** Compares the contexts of two runs of an agent. */
import { createSignal, For, Match, Show, Switch } from 'solid-js';
import type { Run } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/loading/Skeleton';
import { dateTimeLabel } from '../../parts/time/Time';
import { runName } from '../../platform/run_name';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { createPagedList } from '../paged_list';
import { RunDifference } from './RunDifference';
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
        <p class="hint">The agent has no other run that you can read.</p>
      </Show>
      <ListEnd pages={list.pages()} onMore={list.more} />
      <Show when={pair()} keyed>
        {([before, after]) => <Comparison before={before} after={after} />}
      </Show>
    </div>
  );
}

function optionText(run: Run): string {
  return [runName(run.id), dateTimeLabel(run.started_at, Date.now()), run.label].filter(Boolean).join(' · ');
}

function Comparison(props: { before: string; after: string }) {
  const store = useStore();
  const asking = createLatestRequest(
    () => [props.before, props.after] as const,
    ([before, after]) => store.commands.compareRuns(before, after),
  );
  return (
    <Switch fallback={<Skeleton label="Loading the comparison" lines={4} />}>
      <Match when={asking.refusal()}>
        {(why) => (
          <EmptyState icon="warning" action={{ label: 'Try again', run: asking.again }}>
            {why().message} ({why().code})
          </EmptyState>
        )}
      </Match>
      <Match when={asking.answer()}>
        {(found) => <RunDifference difference={found()} before={props.before} after={props.after} />}
      </Match>
    </Switch>
  );
}
