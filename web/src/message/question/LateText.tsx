/** What the reader was typing when the question ended: it was not given, and it is not lost. */
import { Show } from 'solid-js';
import type { Question } from '../../api/model';
import { giveFocus } from '../../platform/focus';
import { useStore } from '../../state/store_context';
import type { Answering } from './answering';

export function LateText(props: { answering: Answering; question: Question }) {
  const store = useStore();
  const { answering } = props;
  /** Behind what stands in the composer already. */
  const move = () => {
    const { to, id } = answering.message();
    const draft = store.draft(to);
    const text = draft.text === '' ? answering.typed() : `${draft.text}\n\n${answering.typed()}`;
    store.commands.setDraft(to, { ...draft, text, replyTo: draft.replyTo ?? id });
    answering.setTyped('');
    giveFocus('composer', to);
  };
  return (
    // Until the hub has said so, an answer under way is not late: its event may come before its answer.
    <Show when={answering.typed() !== '' && props.question.state !== 'open' && !answering.isBusy()}>
      <div class="question-late" role="status">
        <p>It ended before you answered. What you typed was not sent:</p>
        <blockquote>{answering.typed()}</blockquote>
        <div class="question-acts">
          <button type="button" class="button" onClick={move}>
            Put it into a reply
          </button>
          <button type="button" class="button" data-kind="quiet" onClick={() => answering.setTyped('')}>
            Discard
          </button>
        </div>
      </div>
    </Show>
  );
}
