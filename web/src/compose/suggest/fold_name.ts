/** Normalised forms in which names are compared. */

/** Normalises a name like the hub: case-insensitive, accents matter. Equal results mention the same member. */
export function foldName(text: string): string {
  // Upper case maps `ß` to `SS`; lower case before it maps `ẞ` to `ß`.
  return text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** Normalises a name for search: accents do not matter either. */
export function foldLoosely(text: string): string {
  return foldName(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
}

/** How well a name matches, best first. */
export type MatchQuality = 0 | 1 | 2;

/** Returns 0 for a match at the start, 1 at the start of a later word, 2 inside; undefined for no match. */
export function matchQualityOf(typed: string, name: string): MatchQuality | undefined {
  const query = foldLoosely(typed);
  const folded = foldLoosely(name);
  if (folded.startsWith(query)) return 0;
  // With a space in it, it can only match at the start of a name.
  if (query.includes(' ')) return undefined;
  if (folded.split(/[\s._'-]+/).some((word) => word.startsWith(query))) return 1;
  return folded.includes(query) ? 2 : undefined;
}
