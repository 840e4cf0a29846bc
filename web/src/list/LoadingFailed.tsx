/** An error with a retry button, in place of a list. */
import type { Refusal } from '../api/refusal';
import { Icon } from '../parts/Icon';

export function LoadingFailed(props: { what: string; refusal: Refusal; onRetry(): void }) {
  return (
    <div class="loading-failed" role="alert">
      <Icon name="warning" size={22} />
      <p>
        {props.what} could not be loaded. {props.refusal.message} Nothing you wrote is lost.
      </p>
      <p class="hint">Code {props.refusal.code}</p>
      <button type="button" class="button" onClick={() => props.onRetry()}>
        Try again
      </button>
    </div>
  );
}
