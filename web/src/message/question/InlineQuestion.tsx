/** The question card inside its conversation. */
import { createMemo, Show } from 'solid-js';
import { useStore } from '../../state/store_context';
import { Markdown } from '../../text/markdown/Markdown';
import { MessageAttachments } from '../bubble/MessageAttachments';
import { Quote } from '../bubble/Quote';
import { useMention } from '../bubble/use_mention';
import { fieldOf, type Row } from '../row';
import { QuestionCard } from './QuestionCard';

export function InlineQuestion(props: { row: Row }) {
  const store = useStore();
  const message = () => props.row.message();
  const body = fieldOf(props.row, 'body');
  const mention = useMention();
  const blocks = createMemo(() => {
    const { id } = message();
    return store.runs().filter((run) => run.pauses?.some((pause) => pause.message_id === id));
  });
  return (
    <Show when={message().question}>
      {(question) => (
        <QuestionCard message={message()} question={question()} blocks={blocks()}>
          <Show when={message().reply_to}>{(id) => <Quote row={props.row} id={id()} />}</Show>
          <Markdown source={body()} mention={mention} />
          <MessageAttachments message={message()} />
        </QuestionCard>
      )}
    </Show>
  );
}
