/** The conversation of the address does not exist or is hidden from the reader. */
import { Show } from 'solid-js';
import { Icon } from '../../parts/Icon';
import { afterDelay } from '../../parts/loading/after_delay';
import { hrefOf } from '../../platform/routes';
import '../../shell/FullPage.css';

export function ConversationNotFound() {
  // A new conversation may not have arrived yet.
  const isTime = afterDelay();
  return (
    <Show when={isTime()}>
      <div class="page-place">
        <span class="page-mark">
          <Icon name="question" size={22} />
        </span>
        <h1>Conversation not found</h1>
        <p>This conversation does not exist, or you are not in it.</p>
        <div class="page-acts">
          <a class="button" data-kind="main" href={hrefOf({ view: 'home' })}>
            Go to your conversations
          </a>
        </div>
      </div>
    </Show>
  );
}
