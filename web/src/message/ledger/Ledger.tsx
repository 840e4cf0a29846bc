/** The delivery status line below a message. Its space is reserved; its content is loaded later. */
import { createMemo, Show } from 'solid-js';
import { afterDelay } from '../../parts/loading/after_delay';
import { lazyPart } from '../../parts/loading/lazy_part';
import { whenReady } from '../../platform/ready';
import { useStore } from '../../state/store_context';
import { splitMentions } from '../../text/markdown/mentions';
import { useMention } from '../bubble/use_mention';
import { LOAD_DELAY_MS, type Row, rowKeyOf } from '../row';
import { hasLedger } from './has_ledger';
import { isLedgerOpen } from './ledger_open';

const LedgerLine = lazyPart<{ row: Row }>(
  () => whenReady().then(() => import('./lazy_parts').then((file) => file.LedgerLine)),
  () => null,
);

export function Ledger(props: { row: Row }) {
  const store = useStore();
  const mention = useMention();
  const calls = (text: string) => splitMentions(text, mention).some((part) => typeof part !== 'string');
  const isShown = createMemo(
    () =>
      isLedgerOpen(rowKeyOf(props.row)) ||
      hasLedger(
        props.row.message(),
        props.row.presentation(),
        props.row.isMine(),
        store.snapshot()?.subscriptions,
        calls,
      ),
  );
  return (
    <Show when={isShown()}>
      <div class="ledger">
        <Show when={!props.row.outgoing()}>
          <DelayedLedgerLine row={props.row} />
        </Show>
      </div>
    </Show>
  );
}

function DelayedLedgerLine(props: { row: Row }) {
  const isSettled = afterDelay(LOAD_DELAY_MS);
  return (
    <Show when={isSettled()}>
      <LedgerLine row={props.row} />
    </Show>
  );
}
