/** Finds known names that are similar to an unknown one. */

import { compareNames, NAME_CHARS_MAX } from '../../text/names';
import { PROPOSALS_MAX } from '../limits';
import { foldLoosely } from './fold_name';

/** Maximum edit distance of a misspelling. */
const STEPS_MAX = 2;

/** Returns the most similar names, best first: completions, misspellings, parts and containing names. */
export function proposeNames(written: string, names: readonly string[], count = PROPOSALS_MAX): string[] {
  const wanted = foldLoosely(written).slice(0, NAME_CHARS_MAX);
  return names
    .map((name) => ({ name, cost: costOf(wanted, foldLoosely(name)) }))
    .filter((one) => one.cost < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.cost - other.cost || compareNames(one.name, other.name))
    .slice(0, count)
    .map((one) => one.name);
}

/** Returns the cost of a name; the ranges of the four kinds of similarity do not overlap. */
function costOf(wanted: string, name: string): number {
  const surplus = Math.abs(name.length - wanted.length);
  if (name.startsWith(wanted)) return surplus;
  // Without this, all short names would be similar.
  const steps = distance(wanted, name);
  if (steps <= Math.min(STEPS_MAX, wanted.length - 1)) return NAME_CHARS_MAX * steps;
  if (wanted.startsWith(name)) return NAME_CHARS_MAX * (STEPS_MAX + 1) + surplus;
  if (name.includes(wanted)) return NAME_CHARS_MAX * (STEPS_MAX + 2) + surplus;
  return Number.POSITIVE_INFINITY;
}

/** Edit distance with insertion, removal, replacement and swap of neighbours. */
export function distance(one: string, other: string): number {
  const left = [...one];
  const right = [...other];
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        row > 1 && column > 1 && isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, right.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
