/** Delivery steps of each recipient: time, delivery path, run and failure. */
import { createSignal, For, Show } from 'solid-js';
import type { Delivery } from '../../api/model';
import { Refusal } from '../../api/refusal';
import { durationText } from '../../parts/time/duration';
import { fullTimeText } from '../../parts/time/Time';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { messageRoute } from '../../platform/message_route';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { RunLink } from '../run/RunLink';
import {
  deliveryPathText,
  isBroken,
  type LedgerMembers,
  type LedgerRow,
  ledgerRows,
  reasonText,
  stateText,
} from './ledger_text';

/** Recipients shown at first. */
const RECIPIENTS_SHOWN = 10;
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

const STEP_STATUS_TEXT: Record<LedgerRow['happened'], string> = {
  yes: 'yes',
  no: 'not yet',
  unreported: 'not reported',
};

export function LedgerTable(props: { deliveries: readonly Delivery[]; members: LedgerMembers }) {
  const [count, setCount] = createSignal(RECIPIENTS_SHOWN);
  const ids = () => props.deliveries.slice(0, count()).map((one) => one.recipient);
  return (
    <>
      <Show when={props.deliveries.length === 0}>
        <p class="ledger-none">No recipients: nobody was mentioned, and no agent follows this conversation.</p>
      </Show>
      {/* Keyed by recipient, so that a row keeps its element while its delivery progresses. */}
      <For each={ids()}>
        {(recipient) => (
          <Show when={props.deliveries.find((one) => one.recipient === recipient)}>
            {(delivery) => <DeliverySteps delivery={delivery()} members={props.members} />}
          </Show>
        )}
      </For>
      <Show when={props.deliveries.length > count()}>
        <button
          type="button"
          class="button"
          data-kind="quiet"
          onClick={() => setCount((now) => now + RECIPIENTS_SHOWN)}
        >
          {props.deliveries.length - count()} more
        </button>
      </Show>
    </>
  );
}

function DeliverySteps(props: { delivery: Delivery; members: LedgerMembers }) {
  const isAgent = () => props.members.isAgent(props.delivery.recipient);
  return (
    <table class="ledger-way" data-broken={isBroken(props.delivery) ? '' : undefined}>
      <caption>
        <b>{props.members.nameOf(props.delivery.recipient)}</b>{' '}
        <span class="chip">{reasonText(props.delivery.reason)}</span>
      </caption>
      <tbody>
        <For each={ledgerRows(props.delivery, isAgent())}>
          {(row) => <DeliveryStepRow row={row} delivery={props.delivery} />}
        </For>
      </tbody>
    </table>
  );
}

function DeliveryStepRow(props: { row: LedgerRow; delivery: Delivery }) {
  return (
    <tr data-state={props.row.state} data-open={props.row.happened === 'yes' ? undefined : ''}>
      <th scope="row">{stateText(props.row.state)}</th>
      <td>
        <Show when={props.row.at} fallback={STEP_STATUS_TEXT[props.row.happened]}>
          {(at) => (
            <time datetime={at()} title={fullTimeText(at())}>
              {CLOCK.format(new Date(at()))}
            </time>
          )}
        </Show>
      </td>
      <td class="ledger-more">
        <StepDetails row={props.row} delivery={props.delivery} />
      </td>
    </tr>
  );
}

/** Details of a step: duration, delivery path, run, reason. */
function StepDetails(props: { row: LedgerRow; delivery: Delivery }) {
  const isGiven = () => props.row.state === 'injected' && props.row.at !== undefined;
  const words = () => {
    const { state, afterMs } = props.row;
    const { delivered_via, handled_at } = props.delivery;
    const took = afterMs === undefined || state === 'stored' ? undefined : `after ${durationText(afterMs)}`;
    const way = isGiven() && delivered_via ? deliveryPathText(delivered_via) : undefined;
    const handled = state === 'seen' && handled_at ? `handled ${CLOCK.format(new Date(handled_at))}` : undefined;
    return [took, way, handled].filter(Boolean).join(' · ');
  };
  return (
    <>
      {words()}
      <Show when={isGiven() && props.delivery.run_id}>
        {(id) => (
          <>
            {' · '}
            <RunLink id={id()} />
          </>
        )}
      </Show>
      <Show when={isBroken(props.row) && props.delivery.why}>{(why) => <span class="ledger-why"> {why()}</span>}</Show>
      <Show when={props.row.state === 'answered' && props.delivery.answer_id}>{(id) => <AnswerLink id={id()} />}</Show>
    </>
  );
}

/** The answer may be in another conversation, which is only known once it is loaded. */
function AnswerLink(props: { id: string }) {
  const store = useStore();
  const show = async () => {
    await toastOnRefusal(
      store.commands.findMessage(props.id).then((answer) => {
        if (!answer) throw new Refusal('PAGE', 'The answer no longer exists, or you cannot read it.');
        go(messageRoute(answer));
      }),
    );
  };
  return (
    <>
      {' '}
      <button type="button" class="link-button" onClick={() => void show()}>
        Show the answer
      </button>
    </>
  );
}
