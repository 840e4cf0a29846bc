/** In words, what the answer is about; and the way to what is open, when that is something else. */
import { createMemo, Show } from 'solid-js';
import { route } from '../../../platform/router';
import { titleOf } from '../../../state/selectors';
import { useStore } from '../../../state/store_context';
import { type ContextQuery, placeOf } from '../context_route';

export function QuerySummary(props: {
  query: ContextQuery;
  words: string;
  onQuery(more: Partial<ContextQuery>): void;
}) {
  const store = useStore();
  /** The conversation in the middle of the page, unless the answer is about it. */
  const other = createMemo(() => {
    const [here, snapshot] = [route(), store.snapshot()];
    if (here.view !== 'conversation' || !snapshot) return undefined;
    return placeOf(here, props.query) === here.conversationId ? undefined : titleOf(snapshot, here.conversationId);
  });
  return (
    <div class="context-aim">
      <p class="hint">{props.words}</p>
      <Show when={other()}>
        {(title) => (
          <button type="button" class="context-turn" onClick={() => props.onQuery({ placeId: undefined })}>
            Ask about {title()} instead
          </button>
        )}
      </Show>
    </div>
  );
}
