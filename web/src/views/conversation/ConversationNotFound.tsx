/** The address names a conversation that this reader cannot see. */
import { Show } from 'solid-js';
import { afterDelay } from '../../parts/after_delay';
import { Icon } from '../../parts/Icon';
import { hrefOf } from '../../platform/routes';
import '../../shell/FullPage.css';

export function ConversationNotFound() {
  // One that was made a moment ago may not have been told yet.
  const isTime = afterDelay();
  return (
    <Show when={isTime()}>
      <div class="page-place">
        <span class="page-mark">
          <Icon name="question" size={22} />
        </span>
        <h1>No conversation here</h1>
        <p>This conversation does not exist, or you are not in it.</p>
        <div class="page-acts">
          <a class="button" data-kind="main" href={hrefOf({ view: 'home' })}>
            To your conversations
          </a>
        </div>
      </div>
    </Show>
  );
}
