/** Footer of a message: deliveries, reactions, thread, and agents that were not called. */
import { For, Show } from 'solid-js';
import { lazyPart } from '../../parts/loading/lazy_part';
import { whenReady } from '../../platform/ready';
import { Ledger } from '../ledger/Ledger';
import { Reactions } from '../reactions/Reactions';
import type { Row } from '../row';
import { heldText } from './footer_text';
import { MentionProblems } from './MentionProblems';
import { ThreadLink } from './ThreadLink';
import './MessageFooter.css';

const AnswerProblemHint = lazyPart<{ row: Row }>(
  () => whenReady().then(() => import('../ledger/lazy_parts').then((file) => file.AnswerProblemHint)),
  () => null,
);

export function MessageFooter(props: { row: Row }) {
  const message = () => props.row.message();
  const hasReactions = () => (message().reactions?.length ?? 0) > 0;
  return (
    <>
      <Ledger row={props.row} />
      <Show when={hasReactions() || message().thread_id}>
        <div class="message-foot">
          <Show when={hasReactions()}>
            <Reactions row={props.row} />
          </Show>
          <Show when={props.row.scope === 'conversation' && message().thread_id}>
            {(id) => <ThreadLink threadId={id()} />}
          </Show>
        </div>
      </Show>
      <For each={message().held ?? []}>{(held) => <p class="message-hint">{heldText(held)}</p>}</For>
      <Show when={props.row.isMine()}>
        <MentionProblems row={props.row} />
        <AnswerProblemHint row={props.row} />
      </Show>
    </>
  );
}
