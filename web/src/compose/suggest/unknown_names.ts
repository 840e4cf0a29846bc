/** Names behind an `@` that call nobody, found while somebody types: the hub would tell it only after sending. */

import { MENTIONS_MAX } from '../limits';
import { foldName } from './fold_name';
import { mentionStarts, nameEnds, WIDE_WORDS } from './mention_rules';
import { proposeNames } from './similar_names';

export interface UnknownName {
  /** Where it stands, with its `@`. */
  readonly start: number;
  readonly end: number;
  /** As it was written, without the `@`. */
  readonly name: string;
  /** What may have been meant. */
  readonly proposals: readonly string[];
}

export interface KnownNames {
  readonly names: readonly string[];
  /** They call too, but nobody would propose them. */
  readonly ids: readonly string[];
}

/** Elsewhere this word means those who are there just now; the hub does not know it. */
const HERE = 'here';

/** The first name that nobody has and that is finished: a blank follows it, and it is not the start of a longer name. */
export function findUnknownName(text: string, caret: number, known: KnownNames): UnknownName | undefined {
  const folds = new Set([...known.names.map(foldName), ...known.ids]);
  for (const start of mentionStarts(text).slice(0, MENTIONS_MAX)) {
    const tail = text.slice(start + 1);
    const ends = nameEnds(tail);
    const end = ends[0];
    if (end === undefined || !/\s/.test(tail[end] ?? '')) continue;
    if (ends.some((one) => folds.has(foldName(tail.slice(0, one))))) continue;
    if (isBeingTyped(text.slice(start + 1, caret), caret > start, folds)) continue;
    const name = tail.slice(0, end);
    if (WIDE_WORDS.has(name.toLowerCase())) continue;
    const proposals = name.toLowerCase() === HERE ? ['everyone', 'agents'] : proposeNames(name, known.names);
    return { start, end: start + 1 + end, name, proposals };
  }
  return undefined;
}

/** `@Code ` may become `@Code Reviewer`: nothing is said while a name can still go on. */
function isBeingTyped(typed: string, isBehind: boolean, folds: ReadonlySet<string>): boolean {
  const fold = foldName(typed);
  return isBehind && [...folds].some((name) => name.startsWith(fold));
}
