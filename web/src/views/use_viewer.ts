/** The reader and names of members, for texts about questions and runs. */
import type { Viewer } from '../message/question/question_text';
import { useStore } from '../state/store_context';

export function useViewer(): Viewer {
  const store = useStore();
  return {
    get readerId() {
      const session = store.session();
      return session.state === 'signed_in' ? session.me.member_id : undefined;
    },
    nameOf: (id) => store.members().get(id)?.name,
  };
}
