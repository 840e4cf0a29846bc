/** What the hub says, in the middle: context for models, or its own operation, which models do not see. */
import { createMemo, Show } from 'solid-js';
import { didIt } from '../../parts/toast_refusal';
import { useStore } from '../../state/store_context';
import { Markdown } from '../../text/markdown/Markdown';
import { Origin, systemOf } from '../bubble/ImportSource';
import { fieldOf, type Row } from '../row';
import { isSettled, isStop } from './loop_guard';
import './NoteRow.css';

export function Note(props: { row: Row }) {
  const body = fieldOf(props.row, 'body');
  const from = () => props.row.message().from;
  const isHost = () => props.row.form().name === 'host';
  return (
    <div class="message-note">
      <Show when={!props.row.form().isRemoved} fallback="This message was removed.">
        <Show when={isHost()}>
          <span role="img" aria-label={systemOf(from()) ? 'About that system' : 'From the hub'}>
            🏠
          </span>{' '}
        </Show>
        <Origin from={from()} /> <Markdown source={body()} />
        <Show when={isHost()}>
          {' '}
          <span class="message-note-audience">Models do not see this.</span>
        </Show>
        <Show when={isStop(props.row.message())}>
          <GoOn row={props.row} />
        </Show>
      </Show>
    </div>
  );
}

/** Lifts the loop guard, as long as its stop stands. */
function GoOn(props: { row: Row }) {
  const store = useStore();
  const stands = createMemo(() => {
    const { timeline } = props.row;
    const ids = timeline.ids();
    const later = ids.slice(ids.lastIndexOf(props.row.message().id) + 1);
    return !isSettled(later.map((id) => timeline.message(id)));
  });
  return (
    <Show when={stands()}>
      <div>
        <button
          type="button"
          class="button"
          onClick={() => void didIt(store.commands.resetLoopGuard(props.row.message().to))}
        >
          Let them go on
        </button>
      </div>
    </Show>
  );
}
