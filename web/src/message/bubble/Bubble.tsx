/** The message bubble: quote, steps, text, attachments and failure. */
import { createMemo, createSignal, onCleanup, Show } from 'solid-js';
import type { GrowingText } from '../../state/contract';
import { Markdown } from '../../text/markdown/Markdown';
import { Activity } from '../activity/Activity';
import { fieldOf, type Row } from '../row';
import { FailedAnswer } from './FailedAnswer';
import { MessageAttachments } from './MessageAttachments';
import { Quote } from './Quote';
import { useMention } from './use_mention';
import './Bubble.css';

export function Bubble(props: { row: Row }) {
  return (
    <Show
      when={!props.row.presentation().isRemoved}
      fallback={<div class="message-bubble message-gone">This message was deleted.</div>}
    >
      <BubbleContent row={props.row} />
    </Show>
  );
}

function BubbleContent(props: { row: Row }) {
  const message = () => props.row.message();
  const body = fieldOf(props.row, 'body');
  const mention = useMention();
  const growing = createMemo(() => props.row.messageList.growing(message().id));
  const hasSteps = createMemo(() => props.row.messageList.steps(message().id).length > 0);
  const isWaiting = createMemo(() =>
    message().state === 'streaming' ? createWaitsForText(growing(), body()) : () => false,
  );
  return (
    <div class="message-bubble" data-waiting={isWaiting()() ? '' : undefined}>
      <Show when={message().reply_to}>{(id) => <Quote row={props.row} id={id()} />}</Show>
      <Show when={hasSteps()}>
        <Activity row={props.row} />
      </Show>
      <Show when={isWaiting()()}>
        <TypingDots name={message().from.name} />
      </Show>
      <Show when={body() !== '' || message().state === 'streaming'}>
        <Markdown source={body()} growing={growing()} mention={mention} />
      </Show>
      <MessageAttachments message={message()} />
      <FailedAnswer row={props.row} />
    </div>
  );
}

/** Shown until the first character arrives. */
function TypingDots(props: { name: string }) {
  return (
    <span class="typing-dots" role="img" aria-label={`${props.name} is starting to answer`}>
      <i />
      <i />
      <i />
    </span>
  );
}

/** Whether an answer has no text yet. Listens until it has. */
function createWaitsForText(growing: GrowingText | undefined, body: string): () => boolean {
  if (!growing) return () => body === '';
  if (growing.text() !== '') return () => false;
  const [isWaiting, setWaiting] = createSignal(true);
  const stop = growing.listen((text) => {
    if (text === '') return;
    setWaiting(false);
    stop();
  });
  onCleanup(stop);
  return isWaiting;
}
