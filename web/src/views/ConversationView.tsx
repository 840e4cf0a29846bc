/** The middle of the page: bar, messages, who is typing, composer. */

import { Composer } from '../compose/Composer';
import { MessageList } from '../list/MessageList';
import { useStore } from '../state/context';

export function ConversationView(props: { conversationId: string; messageId?: string | undefined }) {
  const store = useStore();
  return (
    <main class="conversation">
      <MessageList
        timeline={store.timeline(props.conversationId)}
        label="Messages"
        targetId={props.messageId}
        place="conversation"
      />
      <Composer conversationId={props.conversationId} label="here" />
    </main>
  );
}
