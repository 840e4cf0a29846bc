/** Shows why an answer failed or was interrupted, and a button to ask again. */
import { Show } from 'solid-js';
import type { Message } from '../../api/model';
import { toastOnRefusal } from '../../parts/toast/toast_refusal';
import { giveFocus } from '../../platform/focus';
import { useStore } from '../../state/store_context';
import type { Row } from '../row';

export function FailedAnswer(props: { row: Row }) {
  const store = useStore();
  const message = () => props.row.message();
  const text = () => failureText(message());
  const askAgain = async () => {
    let wasAsked = false;
    const isDone = await toastOnRefusal(
      store.commands.askAgain(message()).then((asked) => {
        wasAsked = asked;
      }),
    );
    if (isDone && !wasAsked) askInComposer();
  };
  /** Only the asker can send the same question again; others get a mention in the composer. */
  const askInComposer = () => {
    const { to, from } = message();
    const draft = store.draft(to);
    const name = `@${from.name} `;
    if (!draft.text.startsWith(name)) store.commands.setDraft(to, { ...draft, text: name + draft.text });
    giveFocus('composer', to);
  };
  return (
    <Show when={text()}>
      <div class="message-ending">
        <span class="message-ending-text">{text()}</span>
        <Show when={message().from.type === 'agent'}>
          <button type="button" class="button" data-kind="quiet" onClick={() => void askAgain()}>
            Ask again
          </button>
        </Show>
      </div>
    </Show>
  );
}

const STATE_LABEL: Partial<Record<Message['state'], string>> = {
  interrupted: 'Interrupted',
  failed: 'Failed',
  cancelled: 'Stopped',
};

/** Returns "Interrupted: its producer gave no sign for 30 seconds. The text so far is kept." */
export function failureText(message: Pick<Message, 'state' | 'reason' | 'body'>): string {
  const word = STATE_LABEL[message.state];
  if (!word) return '';
  const reason = message.reason?.trim().replace(/[.\s]+$/, '');
  const cause = reason ? `${word}: ${reason}.` : `${word}.`;
  return message.body === '' ? cause : `${cause} The text so far is kept.`;
}
