/** The delivery status line below a message. Its space is reserved; its content is loaded later. */
import { createMemo, Show } from 'solid-js';
import { afterDelay } from '../../parts/after_delay';
import { lazyPart } from '../../parts/lazy_part';
import { whenReady } from '../../platform/ready';
import { useStore } from '../../state/store_context';
import { splitMentions } from '../../text/markdown/mentions';
import { useMention } from '../bubble/use_mention';
import { type Row, rowKeyOf } from '../row';
import { hasLedger } from './has_ledger';
import { isLedgerOpen } from './ledger_open';

/** Rows that only scroll past load nothing. */
const STILL_MS = 150;

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
          <WhenStill row={props.row} />
        </Show>
      </div>
    </Show>
  );
}

function WhenStill(props: { row: Row }) {
  const isStill = afterDelay(STILL_MS);
  return (
    <Show when={isStill()}>
      <LedgerLine row={props.row} />
    </Show>
  );
}
