/** What became of a message: deliveries, reactions, replies, and whom it did not reach. */
import { For, Show } from 'solid-js';
import { whenReady } from '../platform/ready';
import { late } from '../shell/late';
import { heldText } from './foot_text';
import { Ledger } from './Ledger';
import { MentionProblems } from './MentionProblems';
import { Reactions } from './Reactions';
import type { Row } from './row';
import { ThreadLink } from './ThreadLink';
import './Foot.css';

const AnswerProblem = late<{ row: Row }>(
  () => whenReady().then(() => import('./work_parts').then((file) => file.AnswerProblem)),
  () => null,
);

export function Foot(props: { row: Row }) {
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
          <Show when={props.row.place === 'conversation' && message().thread_id}>
            {(id) => <ThreadLink threadId={id()} />}
          </Show>
        </div>
      </Show>
      <For each={message().held ?? []}>{(held) => <p class="message-hint">{heldText(held)}</p>}</For>
      <Show when={props.row.isMine()}>
        <MentionProblems row={props.row} />
        <AnswerProblem row={props.row} />
      </Show>
    </>
  );
}
