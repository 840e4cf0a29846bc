/** Runs of a project, newest first. */
import { createMemo, createSignal, For, Match, Show, Switch } from 'solid-js';
import type { Run } from '../../api/model';
import { EmptyState } from '../../parts/EmptyState';
import { Choice } from '../../parts/field/Choice';
import { Skeleton } from '../../parts/loading/Skeleton';
import { useStore } from '../../state/store_context';
import { ListEnd } from '../ListEnd';
import { moveFocusIn } from '../move_focus';
import { createPagedList } from '../paged_list';
import { useMessages } from '../use_messages';
import { ViewBar } from '../ViewBar';
import { RunRow } from './RunRow';
import './RunsView.css';
import { compareNames } from '../../text/names';

const FILTERS = [
  { id: 'open', label: 'Open' },
  { id: 'all', label: 'All' },
] as const;
const PAGE = 30;

export function RunsView() {
  const store = useStore();
  const [filter, setFilter] = createSignal<(typeof FILTERS)[number]['id']>('open');
  const [agentId, setAgentId] = createSignal('');
  const projectId = createMemo(() => store.snapshot()?.project.id);
  const list = createPagedList<Run>({
    of: () => projectId() && `${projectId()} ${filter()} ${agentId()}`,
    ask: (cursor) =>
      store.commands.listRuns({
        limit: PAGE,
        ...(cursor ? { cursor } : {}),
        ...(filter() === 'open' ? { isOpen: true } : {}),
        ...(agentId() ? { agentId: agentId() } : {}),
      }),
    keyOf: (run) => run.id,
    changed: store.runs,
  });
  const messageOf = useMessages();
  let body: HTMLDivElement | undefined;
  return (
    <main class="view runs-view">
      <ViewBar title="Runs" />
      <div class="view-body">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows only move the focus between links */}
        <div class="view-column" ref={body} onKeyDown={(event) => moveFocusIn(body, '.run-name', event)}>
          <div class="runs-filters">
            <Choice label="Which runs" options={FILTERS} selected={filter()} onSelect={setFilter} />
            <AgentChoice selected={agentId()} onSelect={setAgentId} />
          </div>
          <Show when={list.pages().items.length > 0}>
            <ul class="runs" aria-label="Runs">
              {/* By id, so that a row keeps its element while its run changes. */}
              <For each={list.pages().items.map((run) => run.id)}>
                {(id) => (
                  <Show when={list.pages().items.find((run) => run.id === id)}>
                    {(run) => <RunRow run={run()} messageOf={messageOf} onChange={list.again} />}
                  </Show>
                )}
              </For>
            </ul>
          </Show>
          <Switch>
            <Match when={list.pages().items.length > 0 || list.pages().state === 'failed'}>
              <ListEnd pages={list.pages()} onMore={list.more} />
            </Match>
            <Match when={list.pages().state === 'asking'}>
              <Skeleton label="Loading the runs" lines={6} />
            </Match>
            <Match when={filter() === 'open'}>
              <EmptyState icon="play" action={{ label: 'Show all runs', run: () => setFilter('all') }}>
                No open runs. A run starts when someone mentions an agent or gives it a task.
              </EmptyState>
            </Match>
            <Match when={true}>
              <EmptyState icon="play">No runs yet. Mention an agent to start one.</EmptyState>
            </Match>
          </Switch>
        </div>
      </div>
    </main>
  );
}

function AgentChoice(props: { selected: string; onSelect(id: string): void }) {
  const store = useStore();
  const agents = createMemo(() =>
    [...store.members().values()]
      .filter((member) => member.type === 'agent')
      .sort((one, other) => compareNames(one.name, other.name)),
  );
  return (
    <label class="field runs-agent">
      <span>Agent</span>
      <select onChange={(event) => props.onSelect(event.currentTarget.value)}>
        <option value="">All agents</option>
        <For each={agents()}>
          {(agent) => (
            <option value={agent.id} selected={agent.id === props.selected}>
              {agent.name}
            </option>
          )}
        </For>
      </select>
    </label>
  );
}
