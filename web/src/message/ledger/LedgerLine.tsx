/** The delivery status in one line; expands to a table of recipients. */
import { createMemo, createUniqueId, Index, onMount, Show, untrack } from 'solid-js';
import { useStore } from '../../state/store_context';
import { type Row, rowKeyOf } from '../row';
import { LedgerTable } from './LedgerTable';
import { isLedgerOpen, toggleLedger } from './ledger_open';
import { type LedgerSummary, ledgerSummary, STEPS } from './ledger_text';
import { useLedgerMembers } from './use_ledger_members';
import './Ledger.css';

export function LedgerLine(props: { row: Row }) {
  const store = useStore();
  const members = useLedgerMembers();
  const id = createUniqueId();
  const key = () => rowKeyOf(props.row);
  const deliveries = () => store.deliveries(props.row.message().id);
  const lookAgain = () => void store.commands.refreshDeliveries(props.row.message().id);
  // Agents report reads by events; people's reads are only known by loading deliveries again.
  onMount(
    () => untrack(deliveries)?.some((one) => !members.isAgent(one.recipient) && one.state === 'stored') && lookAgain(),
  );
  const line = createMemo(() => {
    const known = deliveries();
    return known && ledgerSummary(known, members);
  });
  return (
    <Show when={line()}>
      {(now) => (
        <>
          <button
            type="button"
            class="ledger-line"
            data-broken={now().isBroken ? '' : undefined}
            aria-expanded={isLedgerOpen(key())}
            aria-controls={id}
            onClick={() => {
              toggleLedger(key());
              lookAgain();
            }}
          >
            <Steps line={now()} />
            <span class="ledger-words">{now().words}</span>
          </button>
          <div id={id} class="ledger-tables" hidden={!isLedgerOpen(key())}>
            <Show when={isLedgerOpen(key())}>
              <LedgerTable deliveries={deliveries() ?? []} members={members} />
            </Show>
          </div>
        </>
      )}
    </Show>
  );
}

/** Hidden from screen readers: the text beside it says the same. */
export function Steps(props: { line: Pick<LedgerSummary, 'reached' | 'isBroken'> }) {
  const markOf = (index: number) => {
    if (index < props.line.reached) return 'done';
    return props.line.isBroken && index === props.line.reached ? 'broken' : 'open';
  };
  return (
    <span class="ledger-steps" aria-hidden="true">
      <Index each={STEPS}>{(_, index) => <i data-mark={markOf(index)} />}</Index>
    </span>
  );
}
