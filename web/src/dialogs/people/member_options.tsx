/** Members as options of a picker, sorted by name. */
import type { Member } from '../../api/model';
import type { ComboboxOption } from '../../parts/field/Combobox';
import { MemberAvatar } from '../../shell/member/MemberAvatar';
import { compareNames } from '../../text/names';

export function memberOptions(members: Iterable<Member>): ComboboxOption[] {
  return [...members].map(memberOption).sort((one, other) => compareNames(one.label, other.label));
}

function memberOption(member: Member): ComboboxOption {
  return {
    id: member.id,
    label: member.name,
    detail: member.type === 'agent' ? 'agent' : '',
    mark: () => <MemberAvatar member={member} />,
  };
}
