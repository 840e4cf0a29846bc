/** Resolves `@name` in message texts to a member. */
import type { Member } from '../../api/model';
import { foldName } from '../../compose/suggest/fold_name';
import { useStore } from '../../state/store_context';

type Members = ReadonlyMap<string, Member>;
/** Thousands of rows use this map; it is built once per change of the members. */
const namesOf = new WeakMap<Members, ReadonlyMap<string, string>>();

function idByName(members: Members): ReadonlyMap<string, string> {
  const known = namesOf.get(members);
  if (known) return known;
  const names = new Map([...members.values()].map((member) => [foldName(member.name), member.id]));
  namesOf.set(members, names);
  return names;
}

export function useMention(): (name: string) => { id: string; isReader: boolean } | undefined {
  const store = useStore();
  return (name) => {
    const id = idByName(store.members()).get(foldName(name));
    const session = store.session();
    return id ? { id, isReader: session.state === 'signed_in' && session.me.member_id === id } : undefined;
  };
}
