/** Describes the query, with a button to switch to the open conversation. */
import { createMemo, Show } from 'solid-js';
import { route } from '../../../platform/router';
import { titleOf } from '../../../state/selectors';
import { useStore } from '../../../state/store_context';
import { type ContextQuery, locationOf } from '../context_route';
import './QuerySummary.css';

export function QuerySummary(props: {
  query: ContextQuery;
  words: string;
  onQuery(more: Partial<ContextQuery>): void;
}) {
  const store = useStore();
  /** The open conversation, unless the query is about it. */
  const other = createMemo(() => {
    const [here, snapshot] = [route(), store.snapshot()];
    if (here.view !== 'conversation' || !snapshot) return undefined;
    return locationOf(here, props.query) === here.conversationId ? undefined : titleOf(snapshot, here.conversationId);
  });
  return (
    <div class="context-aim">
      <p class="hint">{props.words}</p>
      <Show when={other()}>
        {(title) => (
          <button type="button" class="context-turn" onClick={() => props.onQuery({ locationId: undefined })}>
            Preview {title()} instead
          </button>
        )}
      </Show>
    </div>
  );
}
