/** A link to the run that produced an answer, beside the author. */
import { createMemo, Show } from 'solid-js';
import type { Run } from '../../api/model';
import { afterDelay } from '../../parts/loading/after_delay';
import { runName } from '../../platform/run_name';
import { useStore } from '../../state/store_context';
import { LOAD_DELAY_MS, type Row } from '../row';
import { RunLink } from './RunLink';
import './RunChip.css';

export function RunChip(props: { row: Row }) {
  const store = useStore();
  const isSettled = afterDelay(LOAD_DELAY_MS);
  const agentId = () => props.row.message().from.id;
  const askedBy = () => props.row.message().reply_to ?? '';
  const open = createMemo(() => store.runs().find((run) => isOf(run, agentId(), askedBy())));
  /** Ended runs are found by the deliveries of the question. */
  const ended = createMemo(() => {
    if (open() || !isSettled() || props.row.message().state === 'streaming') return undefined;
    return store.deliveries(askedBy())?.find((one) => one.recipient === agentId())?.run_id ?? undefined;
  });
  const isPaused = () => open()?.state === 'paused';
  return (
    <Show when={open()?.id ?? ended()}>
      {(id) => (
        <RunLink id={id()} class="chip run-chip" title={isPaused() ? 'The run is paused' : 'Show the run'}>
          {isPaused() ? `${runName(id())}, paused` : runName(id())}
        </RunLink>
      )}
    </Show>
  );
}

function isOf(run: Run, agentId: string | null | undefined, messageId: string): boolean {
  return run.agent_id === agentId && run.message_id === messageId;
}
