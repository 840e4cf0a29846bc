/** What members are doing right now, from presence and from what the page saw. */
import { createContext, useContext } from 'solid-js';
import type { Member } from '../../api/model';
import { useStore } from '../../state/store_context';
import { HERE, type MemberState, memberState, workOf } from './member_state';

/** When a member left, if the page saw it; the shell provides it once. */
export const LastSeenContext = createContext<(memberId: string) => number | undefined>(() => undefined);

export function useMemberState(): (member: Member) => MemberState {
  const store = useStore();
  const lastSeen = useContext(LastSeenContext);
  return (member) => {
    // The reader is here as long as the page is connected, before the hub has told so.
    if (member.id === store.snapshot()?.reader && store.connection().state === 'live') return HERE;
    const run = member.type === 'agent' ? workOf(member.id, store.runs(), store.questions().items) : undefined;
    return run ?? memberState(member, store.presence().get(member.id), lastSeen(member.id), Date.now());
  };
}
