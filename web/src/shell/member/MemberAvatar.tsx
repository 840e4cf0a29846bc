/** A member's small avatar with what it is doing: in the sidebar, in lists and in pickers. */
import type { Member } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { useMemberState } from './use_member_state';

export function MemberAvatar(props: { member: Member }) {
  const state = useMemberState();
  return <Avatar name={props.member.name} shape={props.member.type} size="small" presence={state(props.member).dot} />;
}
