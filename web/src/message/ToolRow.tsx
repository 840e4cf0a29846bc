/** What a tool gave back, folded to one line. */
import { createMemo, createSignal, createUniqueId, Show } from 'solid-js';
import { Icon } from '../parts/Icon';
import { Markdown } from '../text/Markdown';
import { Attachments } from './Attachments';
import { Foot } from './Foot';
import { fieldOf, type Row } from './row';
import { toolResultOf } from './tool_result';
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
          <span class="tool-outcome" data-error={result().isError ? '' : undefined}>
            <span role="img" aria-label={result().isError ? 'failed' : 'went well'}>
              {result().isError ? '❌' : '✅'}
            </span>{' '}
            {result().outcome}
          </span>
        </button>
        <div class="tool-body" id={id} hidden={!isOpen()}>
          <Show when={isOpen()}>
            <Inside row={props.row} />
          </Show>
        </div>
      </div>
      <Foot row={props.row} />
    </div>
  );
}

/** Made when it is opened: what tools print is long. */
function Inside(props: { row: Row }) {
  const body = fieldOf(props.row, 'body');
  return (
    <>
      <Show when={body()} fallback={<p class="hint">It said nothing.</p>}>
        <Markdown source={body()} />
      </Show>
      <Attachments message={props.row.message()} />
    </>
  );
}
