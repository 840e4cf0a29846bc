/** Shows a refusal with its code. */
import type { Refusal } from '../../api/refusal';

export function RefusalText(props: { refusal: Refusal; id?: string }) {
  return (
    <p class="problem" role="alert" id={props.id}>
      {props.refusal.message} <span class="refusal-code">{props.refusal.code}</span>
    </p>
  );
}
