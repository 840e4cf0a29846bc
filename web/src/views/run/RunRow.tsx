/** One run in a list: agent, state, cause, age and cost. The whole row is a link. */
import { Show } from 'solid-js';
import type { Message, Run } from '../../api/model';
import { RunLink } from '../../message/run/RunLink';
import { Avatar } from '../../parts/Avatar';
import { DateTime } from '../../parts/time/Time';
import { useSeconds } from '../../parts/time/use_seconds';
import { paneOf, route } from '../../platform/router';
import { runName } from '../../platform/run_name';
import { titleOf } from '../../state/selectors';
import { useStore } from '../../state/store_context';
import { RunActions } from './RunActions';
import { RunStateChip } from './RunStateChip';
import { excerpt, isOpenRun, runAge, tokensText } from './run_text';
import './run_sections.css';
import './RunRow.css';

export function RunRow(props: {
  run: Run;
  messageOf(id: string | null | undefined): Message | undefined;
  onChange?(run: Run): void;
}) {
  const store = useStore();
  const name = () => store.members().get(props.run.agent_id)?.name ?? 'Former agent';
  const isHere = () => {
    const pane = paneOf(route());
    return pane?.kind === 'run' && pane.id === props.run.id;
  };
  return (
    <li class="run" data-state={props.run.state} data-here={isHere() ? '' : undefined}>
      <Avatar name={name()} shape="agent" />
      <div class="run-what">
        <p class="run-head">
          <RunLink id={props.run.id} class="run-name" title={runName(props.run.id)}>
            {name()}
          </RunLink>
          <RunStateChip run={props.run} question={props.messageOf(props.run.pauses?.[0]?.message_id)} />
        </p>
        <p class="run-cause">
          <Cause run={props.run} message={props.messageOf(props.run.message_id)} />
        </p>
        <Show when={props.run.state === 'failed' || props.run.state === 'cancelled' ? props.run.reason : undefined}>
          {(reason) => <p class="run-reason">{reason()}</p>}
        </Show>
      </div>
      <p class="run-figures">
        <span>
          {runName(props.run.id)} · <Age run={props.run} />
        </span>
        <span>
          <Show when={props.run.finished_at}>{(at) => <DateTime at={at()} />}</Show>
          <Show when={tokensText(props.run.usage)}>
            {(tokens) => (props.run.finished_at ? ` · ${tokens()}` : tokens())}
          </Show>
        </span>
      </p>
      <RunActions run={props.run} onChange={props.onChange} />
    </li>
  );
}

export function Age(props: { run: Run }) {
  return (
    <Show when={isOpenRun(props.run)} fallback={<span>{runAge(props.run, Date.now())}</span>}>
      <RunningAge run={props.run} />
    </Show>
  );
}

/** A separate component, so that only open runs use the timer. */
function RunningAge(props: { run: Run }) {
  const now = useSeconds();
  return <span>{runAge(props.run, now())}</span>;
}

/** The cause of a run: its reason or message, the conversation and the task. */
function Cause(props: { run: Run; message: Message | undefined }) {
  const store = useStore();
  const place = () => {
    const snapshot = store.snapshot();
    return snapshot && props.run.conversation_id ? titleOf(snapshot, props.run.conversation_id) : undefined;
  };
  const task = () => store.snapshot()?.tasks.find((one) => one.id === props.run.task_id)?.title;
  const words = () => {
    if (props.run.label) return props.run.label;
    const { message } = props;
    return message ? `${message.from.name}: ${message.removed_at ? 'removed' : excerpt(message.body)}` : undefined;
  };
  return <>{[task(), place(), words()].filter(Boolean).join(' · ') || 'Started by itself'}</>;
}
