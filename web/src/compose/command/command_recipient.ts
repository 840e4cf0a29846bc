/** Reads the recipient of a command: a name at the start, with or without `@`. */
import type { Member } from '../../api/model';
import { nameEnds } from '../../text/names';
import { foldName } from '../suggest/fold_name';
import { proposeNames } from '../suggest/similar_names';

export type CommandRecipient =
  | { type: 'member'; member: Member; text: string }
  | { type: 'nobody'; name: string; proposals: readonly string[] }
  /** Several members have this name. */
  | { type: 'several'; name: string };

/** The longest known name wins, as it does in mentions. */
export function readRecipient(rest: string, members: readonly Member[]): CommandRecipient {
  const tail = rest.replace(/^@/, '');
  const ends = nameEnds(tail);
  for (const end of [...ends].reverse()) {
    const written = tail.slice(0, end);
    const named = members.filter((one) => foldName(one.name) === foldName(written) || one.id === written);
    if (named.length > 1) return { type: 'several', name: written };
    if (named[0]) return { type: 'member', member: named[0], text: tail.slice(end).trim() };
  }
  const name = tail.slice(0, ends[0] ?? tail.length).trim();
  const names = members.map((one) => one.name);
  return { type: 'nobody', name, proposals: name === '' ? [] : proposeNames(name, names) };
}
