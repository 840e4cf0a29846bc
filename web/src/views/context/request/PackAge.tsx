/** From when the answer is, whether it still holds, and the way to a newer one. */
import { Match, Show, Switch } from 'solid-js';
import { afterDelay } from '../../../parts/after_delay';
import { Time } from '../../../parts/Time';

export function PackAge(props: {
  /** When it was asked for; undefined while there is none. */
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
            <LatestRequest isAgain={props.at !== undefined} />
          </Match>
          <Match when={props.isOutdated}>Something has changed since: it is asked again in a moment.</Match>
        </Switch>
      </p>
      <button type="button" class="button" ref={props.buttonRef} onClick={() => props.onAgain()}>
        Ask again
      </button>
    </div>
  );
}

/** Not before it has taken a while: most answers come at once. */
function LatestRequest(props: { isAgain: boolean }) {
  const isTime = afterDelay();
  return <Show when={isTime()}>{props.isAgain ? 'Asking again…' : 'Asking…'}</Show>;
}
