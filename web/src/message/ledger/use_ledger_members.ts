/** Facts about members for the delivery texts, from the store. */
import { useStore } from '../../state/store_context';
import type { LedgerMembers } from './ledger_text';

export function useLedgerMembers(): LedgerMembers {
  const store = useStore();
  return {
    nameOf: (id) => store.members().get(id)?.name ?? 'Former member',
    isAgent: (id) => id.startsWith('agt_'),
    isBusy: (id) => store.runs().some((run) => run.agent_id === id),
  };
}
