/** Names the members that are answering or typing, between messages and composer. Its line is always reserved. */
import { For, onCleanup, Show } from 'solid-js';
import { toRefusal } from '../../api/refusal';
import { Icon } from '../../parts/Icon';
import { toast } from '../../parts/toast/Toast';
import { giveFocus } from '../../platform/focus';
import { useStore } from '../../state/store_context';
import { answeringText, typingText } from './status_text';
import './StatusLine.css';

/** Further answers are only counted. */
const ANSWERS_SHOWN_MAX = 3;

export function StatusLine(props: { conversationId: string }) {
  const store = useStore();
  const answers = () => store.answering(props.conversationId);
  const typing = () => {
    const members = store.members();
    return typingText(store.typing(props.conversationId).map((id) => members.get(id)?.name ?? 'Somebody'));
  };
  return (
    <div class="status-line">
      <For each={answers().slice(0, ANSWERS_SHOWN_MAX)}>
        {(answer) => (
          <AnswerState conversationId={props.conversationId} messageId={answer.messageId} name={answer.name} />
        )}
      </For>
      <Show when={answers().length > ANSWERS_SHOWN_MAX}>
        <p class="status">{answers().length - ANSWERS_SHOWN_MAX} more are answering</p>
      </Show>
      <Show when={typing()}>
        {(words) => (
          <p class="status">
            <Dots /> {words()}
          </p>
        )}
      </Show>
    </div>
  );
}

function AnswerState(props: { conversationId: string; messageId: string; name: string }) {
  const store = useStore();
  let button: HTMLButtonElement | undefined;
  // The button disappears with the answer; the focus must not.
  onCleanup(() => {
    if (button && button === document.activeElement) giveFocus('messages', props.conversationId);
  });
  const stop = () =>
    store.commands.cancelAnswer(props.messageId).catch((thrown) => {
      const { message, code } = toRefusal(thrown);
      toast(`The answer could not be stopped. ${message} (${code})`, { kind: 'danger' });
    });
  return (
    <p class="status">
      <Dots /> {answeringText(props.name)}
      <button type="button" class="status-stop" aria-label={`Stop ${props.name}`} ref={button} onClick={stop}>
        <Icon name="stop" size={14} /> Stop
      </button>
    </p>
  );
}

function Dots() {
  return (
    <span class="status-dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
}
