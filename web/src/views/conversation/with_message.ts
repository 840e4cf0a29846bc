/** A message list with one additional message, such as the first message of an old thread. */
import type { Message } from '../../api/model';
import type { MessageList } from '../../state/contract';

export function withMessage(messageList: MessageList, extra: () => Message | undefined): MessageList {
  const message = (id: string) => messageList.message(id) ?? (extra()?.id === id ? extra() : undefined);
  return {
    conversationId: messageList.conversationId,
    loading: messageList.loading,
    failed: messageList.failed,
    ids: messageList.ids,
    message,
    outgoing: (id) => messageList.outgoing(id),
    growing: (id) => messageList.growing(id),
    steps: (id) => (messageList.message(id) ? messageList.steps(id) : (message(id)?.steps ?? [])),
    older: messageList.older,
    newer: messageList.newer,
    loadOlder: () => messageList.loadOlder(),
    loadNewer: () => messageList.loadNewer(),
    loadAround: (id) => messageList.loadAround(id),
    loadNewest: () => messageList.loadNewest(),
    reload: () => messageList.reload(),
    readAtOpening: messageList.readAtOpening,
    open: () => messageList.open(),
  };
}
