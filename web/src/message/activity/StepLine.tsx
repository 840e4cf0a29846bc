/** One step of an answer, with its input and output to expand. */
import { createSignal, createUniqueId, Match, Show, Switch } from 'solid-js';
import type { Step } from '../../api/model';
import { Icon } from '../../parts/Icon';
import { Spinner } from '../../parts/loading/Spinner';
import { boundedText, stepResult, stepState } from './steps';

export function StepLine(props: { step: Step; isStreaming: boolean }) {
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  const hasMore = () => props.step.input !== undefined || props.step.output !== undefined;
  return (
    <li class="step">
      <Show
        when={hasMore()}
        fallback={
          <div class="step-line">
            <Line {...props} />
          </div>
        }
      >
        <button
          type="button"
          class="step-line"
          aria-expanded={isOpen()}
          aria-controls={isOpen() ? id : undefined}
          onClick={() => setOpen(!isOpen())}
        >
          <Line {...props} />
        </button>
      </Show>
      <Show when={isOpen()}>
        <div class="step-more" id={id}>
          <Value label="Input" value={props.step.input} />
          <Value label="Output" value={props.step.output} />
        </div>
      </Show>
    </li>
  );
}

function Line(props: { step: Step; isStreaming: boolean }) {
  const state = () => stepState(props.step, props.isStreaming);
  return (
    <>
      <Switch>
        <Match when={state() === 'running'}>
          <Spinner />
        </Match>
        <Match when={state() !== 'running'}>
          <span class="step-mark" data-state={state()}>
            <Icon name={state() === 'done' ? 'check' : 'close'} size={14} />
          </span>
        </Match>
      </Switch>
      <code class="step-name">{props.step.name}</code>
      <span class="step-result" data-state={state()}>
        {stepResult(props.step, props.isStreaming)}
      </span>
    </>
  );
}

/** Shortened plain text: nothing in it is rendered. */
function Value(props: { label: string; value: unknown }) {
  return (
    <Show when={props.value !== undefined && props.value !== null}>
      <figure class="step-value">
        <figcaption>{props.label}</figcaption>
        <pre>{boundedText(props.value)}</pre>
      </figure>
    </Show>
  );
}
