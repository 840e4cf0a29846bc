/** Opens the DM with a member. */
import { toRefusal } from '../../api/refusal';
import { toast } from '../../parts/toast/Toast';
import { go } from '../../platform/router';
import { useStore } from '../../state/store_context';

/** A refusal is shown as a toast. */
export function useMessageMember(): (memberId: string) => Promise<void> {
  const store = useStore();
  return async (memberId) => {
    try {
      const dm = await store.commands.openDm([memberId]);
      go({ view: 'conversation', projectId: dm.project_id, conversationId: dm.id });
    } catch (thrown) {
      const refusal = toRefusal(thrown);
      toast(`${refusal.message} (${refusal.code})`, { kind: 'danger' });
    }
  };
}
