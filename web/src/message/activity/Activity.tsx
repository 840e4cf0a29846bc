/** Steps of an answer: expanded while it is written, collapsed afterwards. */
import { createSignal, createUniqueId, For, Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { Spinner } from '../../parts/loading/Spinner';
import { runningText } from '../../parts/time/duration';
import { useSeconds } from '../../parts/time/use_seconds';
import { fieldOf, type Row } from '../row';
import { StepLine } from './StepLine';
import { activitySummary, outcomeOf } from './steps';
import './Activity.css';

export function Activity(props: { row: Row }) {
  const id = createUniqueId();
  const state = fieldOf(props.row, 'state');
  const isStreaming = () => state() === 'streaming';
  const steps = () => props.row.messageList.steps(props.row.message().id);
  /** The reader's choice; until then the state decides. */
  const [chosen, setChosen] = createSignal<boolean>();
  const isOpen = () => chosen() ?? isStreaming();
  // Collapsing would remove the element with the focus.
  const stay = () => isStreaming() && setChosen(true);
  return (
    <div class="activity" data-open={isOpen() ? '' : undefined}>
      <button
        type="button"
        class="activity-head"
        aria-expanded={isOpen()}
        aria-controls={id}
        onClick={() => setChosen(!isOpen())}
      >
        <Icon name="chevron" size={14} />
        <Show when={isStreaming()} fallback={<OutcomeMark outcome={outcomeOf(state(), steps())} />}>
          <Spinner />
        </Show>
        <Show when={isStreaming()} fallback={activitySummary(steps(), props.row.message().usage)}>
          <Progress row={props.row} isOpen={isOpen()} />
        </Show>
      </button>
      <ol class="activity-steps" id={id} hidden={!isOpen()} onFocusIn={stay}>
        <For each={isOpen() ? steps().map((step) => step.id) : []}>
          {(stepId) => (
            <Show when={steps().find((step) => step.id === stepId)}>
              {(step) => <StepLine step={step()} isStreaming={isStreaming()} />}
            </Show>
          )}
        </For>
      </ol>
    </div>
  );
}

function OutcomeMark(props: { outcome: ReturnType<typeof outcomeOf> }) {
  return (
    <span class="step-mark" data-state={props.outcome}>
      <Icon name={props.outcome === 'done' ? 'check' : 'close'} size={14} />
    </span>
  );
}

/** The current step, unless the list below shows it, and the elapsed time. */
function Progress(props: { row: Row; isOpen: boolean }) {
  const now = useSeconds();
  const running = () => props.row.messageList.steps(props.row.message().id).filter((step) => !step.finished_at);
  const words = () => {
    const name = running().at(-1)?.name;
    if (!name) return 'Writing';
    return props.isOpen ? 'Working' : name;
  };
  return (
    <>
      <span class="activity-now">{words()}</span>
      <span class="activity-time">{runningText(now() - Date.parse(props.row.message().created_at))}</span>
    </>
  );
}
