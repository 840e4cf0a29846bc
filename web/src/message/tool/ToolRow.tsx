/** A tool result, collapsed to one line. */
import { createMemo, createSignal, createUniqueId, Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { Spinner } from '../../parts/loading/Spinner';
import { Markdown } from '../../text/markdown/Markdown';
import { MessageAttachments } from '../bubble/MessageAttachments';
import { MessageFooter } from '../footer/MessageFooter';
import { fieldOf, type Row } from '../row';
import { type ToolResult, toolResultOf } from './tool_result';
import './ToolRow.css';

export function ToolRow(props: { row: Row }) {
  const id = createUniqueId();
  const [isOpen, setOpen] = createSignal(false);
  const result = createMemo(() => toolResultOf(props.row.message()));
  return (
    <div class="message-body">
      <div class="tool" data-open={isOpen() ? '' : undefined}>
        <button
          type="button"
          class="tool-line"
          aria-expanded={isOpen()}
          aria-controls={id}
          onClick={() => setOpen(!isOpen())}
        >
          <Icon name="chevron" size={14} />
          <span aria-hidden="true">🔧</span>
          <code class="tool-name">{result().name}</code>
          <Show when={result().took}>{(took) => <span class="tool-time">{took()}</span>}</Show>
          <span class="tool-outcome" data-state={result().state}>
            <Mark state={result().state} /> {result().outcome}
          </span>
        </button>
        <div class="tool-body" id={id} hidden={!isOpen()}>
          <Show when={isOpen()}>
            <ToolOutput row={props.row} />
          </Show>
        </div>
      </div>
      <MessageFooter row={props.row} />
    </div>
  );
}

function Mark(props: { state: ToolResult['state'] }) {
  return (
    <Show when={props.state !== 'running'} fallback={<Spinner />}>
      <span role="img" aria-label={props.state === 'failed' ? 'failed' : 'succeeded'}>
        {props.state === 'failed' ? '❌' : '✅'}
      </span>
    </Show>
  );
}

/** Created when it is opened: tool output is long. */
function ToolOutput(props: { row: Row }) {
  const body = fieldOf(props.row, 'body');
  const growing = () => props.row.messageList.growing(props.row.message().id);
  return (
    <>
      <Show when={body() || growing()} fallback={<p class="hint">No output.</p>}>
        <Markdown source={body()} growing={growing()} />
      </Show>
      <MessageAttachments message={props.row.message()} />
    </>
  );
}
