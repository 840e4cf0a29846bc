/** What a message says, where the receipt only names it: nobody can judge a choice between lines without words. */
import { createSignal, onMount, Show } from 'solid-js';
import { type Previews, usePreviews } from './previews';

export function PreviewText(props: { messageId: string }) {
  const previews = usePreviews();
  return <Show when={previews}>{(those) => <Line previews={those()} messageId={props.messageId} />}</Show>;
}

function Line(props: { previews: Previews; messageId: string }) {
  let line: HTMLParagraphElement | undefined;
  const [isSeen, setSeen] = createSignal(false);
  onMount(() => {
    if (line) props.previews.whenInSight(line, () => setSeen(true));
  });
  return (
    <p class="context-text context-preview" ref={line}>
      {isSeen() ? props.previews.of(props.messageId) : ''}
    </p>
  );
}
