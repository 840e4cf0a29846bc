/** Shows that a message is being sent, in the place of the time, so nothing moves afterwards. */
import { createMemo, Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { useSeconds } from '../../parts/time/use_seconds';
import type { Outgoing } from '../../state/contract';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';

/** Most messages are stored before anybody could read this. */
const LABEL_DELAY_MS = 2_000;

export function SendState(props: { row: Row; look: 'words' | 'icon' }) {
  return (
    <Show when={props.row.outgoing()}>{(outgoing) => <SendingLabel outgoing={outgoing()} look={props.look} />}</Show>
  );
}

/** A separate component, so that only outgoing rows use the timer. */
function SendingLabel(props: { outgoing: Outgoing; look: 'words' | 'icon' }) {
  const store = useStore();
  const now = useSeconds();
  const text = createMemo(() => {
    if (props.outgoing.status.state === 'refused') return '';
    if (store.connection().state !== 'live') return 'Waiting for connection';
    return now() - props.outgoing.at >= LABEL_DELAY_MS ? 'Sending…' : '';
  });
  return (
    <Show when={text()}>
      <Show when={props.look === 'icon'} fallback={<span class="message-sending">{text()}</span>}>
        <span class="message-sending" role="img" aria-label={text()} title={text()}>
          <Icon name="clock" size={14} />
        </span>
      </Show>
    </Show>
  );
}
