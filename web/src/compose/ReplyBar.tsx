/** Shows which message the draft replies to. */
import { createResource, Show } from 'solid-js';
import type { Message } from '../api/model';
import { Icon } from '../parts/Icon';
import { plainText } from '../text/markdown/plain_text';
import type { ComposerState } from './composer_state';
import './ReplyBar.css';

const SHOWN_CHARS_MAX = 160;

export function ReplyBar(props: { composer: ComposerState }) {
  const { composer } = props;
  const loaded = () => {
    const id = composer.draft().replyTo;
    return id === undefined ? undefined : composer.store.messageList(composer.id()).message(id);
  };
  // The message may not be loaded: a draft is kept longer than the list.
  const [fetched] = createResource(
    () => (loaded() ? undefined : composer.draft().replyTo),
    (id) => composer.store.commands.findMessage(id).catch(() => undefined),
  );
  return (
    <Show when={composer.draft().replyTo}>
      <div class="reply-bar">
        <Icon name="reply" size={16} />
        <span class="reply-words">{replyingToText(loaded() ?? fetched())}</span>
        <button
          type="button"
          class="icon-button"
          aria-label="Cancel reply"
          title="Cancel reply"
          onClick={() => {
            composer.change({ replyTo: undefined });
            composer.focus();
          }}
        >
          <Icon name="close" size={16} />
        </button>
      </div>
    </Show>
  );
}

function replyingToText(message: Message | undefined) {
  if (!message) return 'Replying to a message';
  return (
    <>
      Replying to <b>{message.from.name}</b>: {plainText(message.body, SHOWN_CHARS_MAX)}
    </>
  );
}
