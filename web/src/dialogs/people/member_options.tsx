/** Members as options of a picker, sorted by name. */
import type { Member } from '../../api/model';
import type { ComboboxOption } from '../../parts/Combobox';
import { MemberAvatar } from '../../shell/member/MemberAvatar';

export function memberOptions(members: Iterable<Member>): ComboboxOption[] {
  return [...members].map(memberOption).sort((one, other) => one.label.localeCompare(other.label));
}

function memberOption(member: Member): ComboboxOption {
  return {
    id: member.id,
    label: member.name,
    detail: member.type === 'agent' ? 'agent' : '',
    mark: () => <MemberAvatar member={member} />,
  };
}
