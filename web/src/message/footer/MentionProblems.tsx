/**
 * Unknown or ambiguous mentions in the reader's own message, with a button to correct them. Only the author sees them.
 */
import { For, Show } from 'solid-js';
import type { MentionProblem } from '../../api/model';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';
import { problemText, replaceMention } from './footer_text';

export function MentionProblems(props: { row: Row }) {
  const store = useStore();
  const problems = () => (props.row.outgoing() ? [] : store.mentionProblems(props.row.message().id));
  return (
    <For each={problems()}>
      {(problem) => (
        <p class="message-hint">
          {problemText(problem)} <Suggestion row={props.row} problem={problem} />
          <span class="message-hint-private"> Only visible to you.</span>
        </p>
      )}
    </For>
  );
}

/** Only an unknown name has a suggestion. The edit notifies agents but does not call them. */
function Suggestion(props: { row: Row; problem: MentionProblem }) {
  const store = useStore();
  const best = () => (props.problem.reason === 'unknown' ? props.problem.candidates[0] : undefined);
  const change = (name: string) => {
    const { id, body } = props.row.message();
    void toastOnRefusal(store.commands.edit(id, replaceMention(body, props.problem.name, name)));
  };
  return (
    <Show when={best()}>
      {(name) => (
        <>
          Did you mean{' '}
          <button type="button" class="link-button" onClick={() => change(name())}>
            @{name()}
          </button>
          ?
        </>
      )}
    </Show>
  );
}
