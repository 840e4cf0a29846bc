/** Header of a message: author, time, importance. */
import { Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { lazyPart } from '../../parts/loading/lazy_part';
import { fullTimeText, Time } from '../../parts/time/Time';
import { whenReady } from '../../platform/ready';
import { setPane } from '../../platform/router';
import type { Row } from '../row';
import { SendState } from '../sending/SendState';
import { ImportSource, systemOf } from './ImportSource';
import './MessageHeader.css';

const RunChip = lazyPart<{ row: Row }>(
  () => whenReady().then(() => import('../ledger/lazy_parts').then((file) => file.RunChip)),
  () => null,
);

export function MessageHeader(props: { row: Row }) {
  return (
    <div class="message-head">
      <Name row={props.row} />
      <Show when={props.row.presentation().chip}>{(chip) => <span class="chip">{chip()}</span>}</Show>
      <Show when={props.row.message().from.type === 'agent' && props.row.message().reply_to}>
        <RunChip row={props.row} />
      </Show>
      <Time at={props.row.message().created_at} />
      <MessageLabels row={props.row} />
      <SendState row={props.row} look="words" />
    </div>
  );
}

/** Header of a message that shares the one above: only its labels, if it has any. */
export function CompactHeader(props: { row: Row }) {
  const hasMarks = () => {
    const { edited_at, importance, blocking, is_notice } = props.row.message();
    return Boolean(edited_at) || importance !== 'normal' || blocking || Boolean(is_notice);
  };
  return (
    <Show when={hasMarks()}>
      <div class="message-head">
        <MessageLabels row={props.row} />
      </div>
    </Show>
  );
}

/** Labels that are shown even when the header is shared. */
function MessageLabels(props: { row: Row }) {
  const message = () => props.row.message();
  return (
    <>
      <Show when={message().edited_at}>
        {(at) => (
          <span class="message-edited" title={`Edited ${fullTimeText(at())}`}>
            edited
          </span>
        )}
      </Show>
      <ImportanceLabels row={props.row} />
    </>
  );
}

/** The name opens the member pane; an imported author shows its system instead. */
function Name(props: { row: Row }) {
  const from = () => props.row.message().from;
  const memberId = () => (systemOf(from()) || !/person|agent/.test(from().type) ? undefined : from().id);
  return (
    <>
      <Show when={memberId()} fallback={<span class="message-name">{from().name}</span>}>
        {(id) => (
          <button
            type="button"
            class="message-name"
            tabindex="-1"
            onClick={() => setPane({ kind: 'member', id: id() })}
          >
            {from().name}
          </button>
        )}
      </Show>
      <ImportSource from={from()} />
    </>
  );
}

/** Importance, blocking and notice labels. */
function ImportanceLabels(props: { row: Row }) {
  const message = () => props.row.message();
  return (
    <>
      <Show when={message().importance !== 'normal'}>
        <span class="chip message-importance" data-importance={message().importance}>
          {message().importance}
        </span>
      </Show>
      <Show when={message().blocking}>
        <span class="message-blocking">
          <Icon name="clock" size={13} />
          waiting for an answer
        </span>
      </Show>
      <Show when={message().is_notice}>
        <span class="chip" title="For information only: it calls no agent.">
          notice
        </span>
      </Show>
    </>
  );
}
