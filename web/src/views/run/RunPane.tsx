/** The run pane: state, pauses, cause, contexts and timeline. */

import { createMemo, createResource, Match, Show, Switch } from 'solid-js';
import type { Run } from '../../api/model';
import { toRefusal } from '../../api/refusal';
import { Avatar } from '../../parts/Avatar';
import { EmptyState } from '../../parts/EmptyState';
import { Skeleton } from '../../parts/loading/Skeleton';
import { route, withPane } from '../../platform/router';
import { hrefOf } from '../../platform/routes';
import { runName } from '../../platform/run_name';
import { PaneHead } from '../../shell/pane/PaneHead';
import { useStore } from '../../state/store_context';
import { capitalize } from '../../text/wording';
import { RunContext } from '../context/RunContext';
import { Fact } from '../details/Fact';
import { type MessageLookup, useMessages } from '../use_messages';
import { GivenMessages } from './GivenMessages';
import { RunActions } from './RunActions';
import { RunPauses } from './RunPauses';
import { Age } from './RunRow';
import { RunStateChip } from './RunStateChip';
import { isOpenRun, tokensInAndOut } from './run_text';
import { Timeline } from './Timeline';
import '../details/DetailsPane.css';
import './run_sections.css';
import './RunPane.css';

export function RunPane(props: { runId: string; onClose(): void }) {
  return (
    <section class="run-pane" aria-label="Run">
      <PaneHead onClose={props.onClose}>
        <h2>{capitalize(runName(props.runId))}</h2>
      </PaneHead>
      <Show when={props.runId} keyed>
        {(id) => <OneRun id={id} />}
      </Show>
    </section>
  );
}

function OneRun(props: { id: string }) {
  const store = useStore();
  const messageOf = useMessages();
  /** From the snapshot: changes with every event, and disappears when the run ends. */
  const live = createMemo(() => store.runs().find((run) => run.id === props.id));
  const [found, { mutate, refetch }] = createResource(
    () => ({ id: props.id, live: live(), isLive: store.connection().state === 'live' }),
    ({ id }) => store.commands.loadRun(id),
  );
  const run = () => found.latest ?? live();
  const refusal = () => (found.state === 'errored' ? toRefusal(found.error) : undefined);
  return (
    <div class="details-body">
      <Switch fallback={<Skeleton label="Loading the run" lines={6} />}>
        <Match when={refusal()}>
          {(why) => (
            <EmptyState icon="warning" action={{ label: 'Try again', run: () => void refetch() }}>
              {why().message} ({why().code})
            </EmptyState>
          )}
        </Match>
        <Match when={run()}>
          {(now) => <RunDetails run={now()} messageOf={messageOf} onChange={(changed) => mutate(changed)} />}
        </Match>
        <Match when={found.state === 'ready'}>
          <EmptyState icon="play">This run does not exist, or you cannot read its conversation.</EmptyState>
        </Match>
      </Switch>
    </div>
  );
}

function RunDetails(props: { run: Run; messageOf: MessageLookup; onChange(run: Run): void }) {
  const store = useStore();
  const name = () => store.members().get(props.run.agent_id)?.name ?? 'Former agent';
  return (
    <>
      <header class="run-card">
        <Avatar name={name()} shape="agent" />
        <div>
          <h3>
            <a href={hrefOf({ view: 'agent', id: props.run.agent_id })}>{name()}</a>
          </h3>
          <p>
            <RunStateChip run={props.run} question={props.messageOf(props.run.pauses?.[0]?.message_id)} />
            <Age run={props.run} />
          </p>
        </div>
        <RunActions run={props.run} onChange={props.onChange} />
      </header>
      <Show when={!isOpenRun(props.run) && props.run.reason}>{(reason) => <p class="run-reason">{reason()}</p>}</Show>
      <RunPauses run={props.run} messageOf={props.messageOf} onChange={props.onChange} />
      <Timeline
        of={{ run: props.run.id }}
        version={props.run.updated_at}
        isOpen={isOpenRun(props.run)}
        messageOf={props.messageOf}
      />
      <GivenMessages run={props.run} messageOf={props.messageOf} />
      <RunContext run={props.run} />
      <Facts run={props.run} />
    </>
  );
}

function Facts(props: { run: Run }) {
  const store = useStore();
  const task = () => store.snapshot()?.tasks.find((one) => one.id === props.run.task_id);
  return (
    <dl class="facts run-facts">
      <Show when={props.run.task_id}>
        {(id) => (
          <Fact name="Task">
            <a
              href={hrefOf(
                withPane(route(), { kind: 'task', id: id() }) ?? { view: 'runs', pane: { kind: 'task', id: id() } },
              )}
            >
              {task()?.title ?? 'Show its timeline'}
            </a>
          </Fact>
        )}
      </Show>
      <Show when={props.run.usage}>
        {(usage) => (
          <Fact name="Tokens">
            {tokensInAndOut(usage())}
            <Show when={usage().model}>{(model) => ` · ${model()}`}</Show>
          </Fact>
        )}
      </Show>
    </dl>
  );
}
