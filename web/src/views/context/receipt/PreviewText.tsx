/** The text of a message that the receipt only names. */
import { createSignal, onMount, Show } from 'solid-js';
import { type Previews, usePreviews } from './previews';
import './PreviewText.css';

export function PreviewText(props: { messageId: string }) {
  const previews = usePreviews();
  return <Show when={previews}>{(those) => <Line previews={those()} messageId={props.messageId} />}</Show>;
}

function Line(props: { previews: Previews; messageId: string }) {
  let line: HTMLParagraphElement | undefined;
  const [isSeen, setSeen] = createSignal(false);
  onMount(() => {
    if (line) props.previews.whenVisible(line, () => setSeen(true));
  });
  return (
    <p class="context-text context-preview" ref={line}>
      {isSeen() ? props.previews.of(props.messageId) : ''}
    </p>
  );
}
