/** The age of the result, whether it is outdated, and a button to refresh it. */
import { Match, Show, Switch } from 'solid-js';
import { afterDelay } from '../../../parts/loading/after_delay';
import { Time } from '../../../parts/time/Time';
import './PackAge.css';

export function PackAge(props: {
  /** The time of the request; undefined without a result. */
  at: number | undefined;
  isAsking: boolean;
  isOutdated: boolean;
  onAgain(): void;
  buttonRef(button: HTMLButtonElement): void;
}) {
  return (
    <div class="context-as-of">
      <p class="hint">
        <Show when={props.at}>
          {(at) => (
            <>
              As of <Time at={at()} />.{' '}
            </>
          )}
        </Show>
        <Switch>
          <Match when={props.isAsking}>
            <RequestProgress isAgain={props.at !== undefined} />
          </Match>
          <Match when={props.isOutdated}>The project has changed. The preview updates soon.</Match>
        </Switch>
      </p>
      <button type="button" class="button" ref={props.buttonRef} onClick={() => props.onAgain()}>
        Refresh
      </button>
    </div>
  );
}

/** Shown after a delay: most results come at once. */
function RequestProgress(props: { isAgain: boolean }) {
  const isTime = afterDelay();
  return <Show when={isTime()}>{props.isAgain ? 'Updating…' : 'Loading…'}</Show>;
}
