/** A refused message: the reason and what its author can do. */
import { Show } from 'solid-js';
import type { Refusal } from '../../api/refusal';
import { refusalText } from '../../parts/toast/toast_refusal';
import { giveFocus } from '../../platform/focus';
import type { Outgoing } from '../../state/contract';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';

/** Refusal code: too many open questions. */
const TOO_MANY_QUESTIONS_CODE = 'PARLOUR-C05';
/** Refusal code: a wide mention needs confirmation. */
const WIDE_MENTION_CODE = 'PARLOUR-M03';

export function NotSent(props: { row: Row }) {
  const refused = () => {
    const outgoing = props.row.outgoing();
    return outgoing?.status.state === 'refused' ? { outgoing, refusal: outgoing.status.refusal } : undefined;
  };
  return <Show when={refused()}>{(one) => <RefusedMessage outgoing={one().outgoing} refusal={one().refusal} />}</Show>;
}

/** A wide mention is not an error: it is confirmed or edited. */
function RefusedMessage(props: { outgoing: Outgoing; refusal: Refusal }) {
  const store = useStore();
  const isWide = () => props.refusal.code === WIDE_MENTION_CODE;
  const advice = () =>
    props.refusal.code === TOO_MANY_QUESTIONS_CODE && props.outgoing.blocking
      ? ' Withdraw one of your questions, or wait for an answer.'
      : '';
  const callThem = () => store.commands.retry(props.outgoing.id, { confirmWide: true });
  /** Moves the message back to the draft, with its files and its quote. */
  const edit = () => {
    const { id, conversationId } = props.outgoing;
    const draft = store.commands.discard(id);
    if (draft) store.commands.setDraft(conversationId, joined(draft, store.draft(conversationId).text));
    giveFocus('composer', conversationId);
  };
  return (
    <div class="not-sent" role="alert" data-wide={isWide() ? '' : undefined}>
      <span>{isWide() ? wideText(props.refusal) : `Not sent: ${refusalText(props.refusal)}${advice()}`}</span>
      <span class="not-sent-acts">
        <Show
          when={isWide()}
          fallback={
            <button type="button" class="link-button" onClick={() => store.commands.retry(props.outgoing.id)}>
              Retry
            </button>
          }
        >
          <button type="button" class="link-button" onClick={callThem}>
            Send anyway
          </button>
        </Show>
        <button type="button" class="link-button" onClick={edit}>
          Edit
        </button>
        <button type="button" class="link-button" onClick={() => store.commands.discard(props.outgoing.id)}>
          Discard
        </button>
      </span>
    </div>
  );
}

/** Keeps the current draft below. */
function joined<D extends { text: string }>(draft: D, typed: string): D {
  return typed === '' ? draft : { ...draft, text: `${draft.text}\n\n${typed}` };
}

const NAMES_MAX = 5;

/** Returns "This would call 7 members at once: Coder, Reviewer, Planner, Scout, Guide and 2 more." */
export function wideText(refusal: Refusal): string {
  const names = refusal.more.candidates ?? [];
  if (names.length === 0) return refusal.message;
  const shown = names.slice(0, NAMES_MAX).join(', ');
  const rest = names.length - NAMES_MAX;
  return `This would call ${names.length} members at once: ${shown}${rest > 0 ? ` and ${rest} more` : ''}.`;
}
