/** The small avatar of a member with its state. */
import type { Member } from '../../api/model';
import { Avatar } from '../../parts/Avatar';
import { usePersonColour } from '../../state/person_colour';
import { useMemberState } from './use_member_state';

export function MemberAvatar(props: { member: Member }) {
  const state = useMemberState();
  const colour = usePersonColour();
  return (
    <Avatar
      name={props.member.name}
      shape={props.member.type}
      size="small"
      presence={state(props.member).dot}
      colour={colour(props.member)}
    />
  );
}
