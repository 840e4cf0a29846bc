/** States of members from presence and from what the page observed. */
import { createContext, useContext } from 'solid-js';
import type { Member } from '../../api/model';
import { useStore } from '../../state/store_context';
import { type MemberState, memberState, ONLINE, workOf } from './member_state';

/** When a member went offline; provided by the shell. */
export const LastSeenContext = createContext<(memberId: string) => number | undefined>(() => undefined);

export function useMemberState(): (member: Member) => MemberState {
  const store = useStore();
  const lastSeen = useContext(LastSeenContext);
  return (member) => {
    // The reader is online while the page is connected, before the hub reports it.
    if (member.id === store.snapshot()?.reader && store.connection().state === 'live') return ONLINE;
    const run = member.type === 'agent' ? workOf(member.id, store.runs(), store.questions().items) : undefined;
    return run ?? memberState(member, store.presence().get(member.id), lastSeen(member.id), Date.now());
  };
}
