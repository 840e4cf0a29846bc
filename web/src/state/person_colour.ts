/** The colour of each person: the same for every reader, on every device and after a reload. */
import type { Person, Snapshot } from '../api/model';
import { useStore } from './store_context';

/** Colours in `tokens.css` (`--person-1-bg` …). The reader has the colour of users instead. */
export const PERSON_COLOURS = 6;

/**
 * Returns a colour from 1 to `PERSON_COLOURS` for each id. The id decides; an id whose colour is taken gets the next
 * free one, so that the people of a small project have different colours.
 */
export function assignColours(ids: readonly string[]): ReadonlyMap<string, number> {
  const colours = new Map<string, number>();
  let free = new Set<number>();
  for (const id of ids.toSorted()) {
    if (free.size === 0) free = new Set(Array.from({ length: PERSON_COLOURS }, (_, index) => index + 1));
    let colour = preferredColour(id);
    while (!free.has(colour)) colour = (colour % PERSON_COLOURS) + 1;
    free.delete(colour);
    colours.set(id, colour);
  }
  return colours;
}

/** Returns the colour of an author; undefined for the reader and for authors that are no people. */
export function personColour(
  snapshot: Pick<Snapshot, 'people' | 'reader'> | undefined,
  author: { readonly type: string; readonly id?: string | null },
): number | undefined {
  if (author.type !== 'person' || !author.id || author.id === snapshot?.reader) return undefined;
  const known = snapshot && coloursIn(snapshot.people).get(author.id);
  // Former members and imported authors.
  return known ?? preferredColour(author.id);
}

export function usePersonColour(): (author: Parameters<typeof personColour>[1]) => number | undefined {
  const store = useStore();
  return (author) => personColour(store.snapshot(), author);
}

/** Computed once for each list of people, not for each message. */
const computed = new WeakMap<readonly Person[], ReadonlyMap<string, number>>();

function coloursIn(people: readonly Person[]): ReadonlyMap<string, number> {
  const kept = computed.get(people);
  if (kept) return kept;
  const colours = assignColours(people.map(({ id }) => id));
  computed.set(people, colours);
  return colours;
}

/** FNV-1a: neighbouring ids get unrelated colours. */
function preferredColour(id: string): number {
  let hash = 0x811c9dc5;
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return ((hash >>> 0) % PERSON_COLOURS) + 1;
}
