/** A centred note: a system message for models, or a host message, which models do not see. */
import { createMemo, Show } from 'solid-js';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { useStore } from '../../state/store_context';
import { Markdown } from '../../text/markdown/Markdown';
import { ImportSource, systemOf } from '../bubble/ImportSource';
import { fieldOf, type Row } from '../row';
import { isLoopGuardStop, isStopResolved } from './loop_guard';
import './NoteRow.css';

export function NoteRow(props: { row: Row }) {
  const body = fieldOf(props.row, 'body');
  const from = () => props.row.message().from;
  const isHost = () => props.row.presentation().name === 'host';
  return (
    <div class="message-note">
      <Show when={!props.row.presentation().isRemoved} fallback="This message was deleted.">
        <Show when={isHost()}>
          <span role="img" aria-label={systemOf(from()) ? 'About the imported system' : 'From the hub'}>
            🏠
          </span>{' '}
        </Show>
        <ImportSource from={from()} /> <Markdown source={body()} />
        <Show when={isHost()}>
          {' '}
          <span class="message-note-audience">Not visible to models.</span>
        </Show>
        <Show when={isLoopGuardStop(props.row.message())}>
          <ResumeAgents row={props.row} />
        </Show>
      </Show>
    </div>
  );
}

/** The button that resets the loop guard while agents are stopped. */
function ResumeAgents(props: { row: Row }) {
  const store = useStore();
  const isStopped = createMemo(() => {
    const { messageList } = props.row;
    const ids = messageList.ids();
    const later = ids.slice(ids.lastIndexOf(props.row.message().id) + 1);
    return !isStopResolved(later.map((id) => messageList.message(id)));
  });
  return (
    <Show when={isStopped()}>
      <div>
        <button
          type="button"
          class="button"
          onClick={() => void toastOnRefusal(store.commands.resetLoopGuard(props.row.message().to))}
        >
          Reset the loop guard
        </button>
      </div>
    </Show>
  );
}
