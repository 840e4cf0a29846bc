/** Shows which message the draft replies to. */
import { createResource, Show } from 'solid-js';
import type { Message } from '../api/model';
import { Icon } from '../parts/Icon';
import { plainText } from '../text/markdown/plain_text';
import type { ComposerState } from './composer_state';
import './ReplyBar.css';

const SHOWN_CHARS_MAX = 160;

export function ReplyBar(props: { composing: ComposerState }) {
  const { composing } = props;
  const loaded = () => {
    const id = composing.draft().replyTo;
    return id === undefined ? undefined : composing.store.messageList(composing.id()).message(id);
  };
  // The message may not be loaded: a draft is kept longer than the list.
  const [fetched] = createResource(
    () => (loaded() ? undefined : composing.draft().replyTo),
    (id) => composing.store.commands.findMessage(id).catch(() => undefined),
  );
  return (
    <Show when={composing.draft().replyTo}>
      <div class="reply-bar">
        <Icon name="reply" size={16} />
        <span class="reply-words">{wordsFor(loaded() ?? fetched())}</span>
        <button
          type="button"
          class="icon-button"
          aria-label="Cancel reply"
          title="Cancel reply"
          onClick={() => {
            composing.change({ replyTo: undefined });
            composing.focus();
          }}
        >
          <Icon name="close" size={16} />
        </button>
      </div>
    </Show>
  );
}

function wordsFor(message: Message | undefined) {
  if (!message) return 'Replying to a message';
  return (
    <>
      Replying to <b>{message.from.name}</b>: {plainText(message.body, SHOWN_CHARS_MAX)}
    </>
  );
}
