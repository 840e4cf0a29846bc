/** Two sample messages with the current settings. Hidden from screen readers. */
import { Avatar } from '../../parts/Avatar';

export function AppearancePreview() {
  return (
    <div class="looks-preview" aria-hidden="true">
      <div class="looks-line" data-source="user">
        <span class="looks-bubble">@Guide what can you do?</span>
      </div>
      <div class="looks-line" data-source="assistant">
        <Avatar name="Guide" shape="assistant" />
        <span class="looks-bubble">I answer questions about this hub.</span>
      </div>
    </div>
  );
}
