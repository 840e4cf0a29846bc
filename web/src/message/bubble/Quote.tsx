/** The quoted message in one line above the reply. A click scrolls to it. */
import { createResource, Show } from 'solid-js';
import type { Message } from '../../api/model';
import { go, route } from '../../platform/router';
import { useStore } from '../../state/store_context';
import { plainText } from '../../text/markdown/plain_text';
import type { Row } from '../row';

export function Quote(props: { row: Row; id: string }) {
  const store = useStore();
  const loaded = () => props.row.messageList.message(props.id);
  const [found] = createResource(
    () => (loaded() ? undefined : props.id),
    (id) => store.commands.findMessage(id).catch(() => undefined),
  );
  const quoted = () => loaded() ?? found();
  return (
    <Show when={!needsNoQuote(props.row.message(), loaded())}>
      <button type="button" class="message-quote" onClick={(event) => jump(event.currentTarget, props.row, props.id)}>
        <Show when={quoted()} fallback={found.loading ? '…' : 'Message not available'}>
          {(message) => (
            <>
              <b>{message().from.name}</b> {quoteLine(message())}
            </>
          )}
        </Show>
      </button>
    </Show>
  );
}

/** An answer right below its question needs no quote. Quotes by people are always shown. */
export function needsNoQuote(answer: Message, question: Message | undefined): boolean {
  return answer.from.type !== 'person' && question !== undefined && question.seq === answer.seq - 1;
}

/** Longer than a line on the widest screen. */
const LINE_CHARS_MAX = 200;

/** Returns the text of a message in one line, or the name of its first file. */
function quoteLine(message: Message): string {
  if (message.removed_at) return 'This message was deleted.';
  const text = plainText(message.body).slice(0, LINE_CHARS_MAX).trim();
  return text || (message.attachments?.[0]?.filename ?? '…');
}

/** Scrolls within the thread when the message is there; otherwise navigates to it. */
function jump(from: HTMLElement, row: Row, id: string): void {
  const near = from.closest('.message-list')?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`);
  if (near && row.scope === 'thread') {
    near.scrollIntoView({ block: 'center' });
    near.focus({ preventScroll: true });
    return;
  }
  const here = route();
  const { project_id: projectId, to: conversationId } = row.message();
  const pane = here.view === 'conversation' && here.conversationId === conversationId ? here.pane : undefined;
  go({ view: 'conversation', projectId, conversationId, messageId: id, ...(pane ? { pane } : {}) });
}
