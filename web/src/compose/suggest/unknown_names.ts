/** Finds mentions of unknown names while typing; the hub reports them only after sending. */

import { nameEnds } from '../../text/names';
import { MENTIONS_MAX } from '../limits';
import { foldName } from './fold_name';
import { mentionStarts, WIDE_WORDS } from './mention_rules';
import { proposeNames } from './similar_names';

export interface UnknownName {
  /** Position of the `@`. */
  readonly start: number;
  readonly end: number;
  /** Without the `@`. */
  readonly name: string;
  readonly proposals: readonly string[];
}

export interface KnownNames {
  readonly names: readonly string[];
  /** Ids mention too, but are never suggested. */
  readonly ids: readonly string[];
}

/** Other chat systems have `@here`; the hub does not. */
const HERE_WORD = 'here';

/** Returns the first finished unknown name: a space follows it, and it is not the start of a longer known name. */
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
    const proposals = name.toLowerCase() === HERE_WORD ? ['everyone', 'agents'] : proposeNames(name, known.names);
    return { start, end: start + 1 + end, name, proposals };
  }
  return undefined;
}

/** `@Code ` may become `@Code Reviewer`: no hint while a name can still continue. */
function isBeingTyped(typed: string, isBehind: boolean, folds: ReadonlySet<string>): boolean {
  const fold = foldName(typed);
  return isBehind && [...folds].some((name) => name.startsWith(fold));
}
