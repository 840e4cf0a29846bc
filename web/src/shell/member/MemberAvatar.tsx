/** The small avatar of a member with its state. */
import type { Member } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { useMemberState } from './use_member_state';

export function MemberAvatar(props: { member: Member }) {
  const state = useMemberState();
  return <Avatar name={props.member.name} shape={props.member.type} size="small" presence={state(props.member).dot} />;
}
