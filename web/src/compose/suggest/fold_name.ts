/** Forms of names in which they are compared. */

/** As the hub compares them: case does not matter, accents do. What is equal here calls the same member. */
export function foldName(text: string): string {
  // Upper case knows that `ß` and `SS` are the same, and before it lower case that `ẞ` is the capital of `ß`.
  return text.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC');
}

/** As people look for them: accents do not matter either. */
export function foldLoosely(text: string): string {
  return foldName(text)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
}

/** How well a name fits what was typed, best first. */
export type Fit = 0 | 1 | 2;

/** 0 when it starts the name, 1 when it starts a later word of it, 2 when it stands inside; undefined when not at all. */
export function fitOf(typed: string, name: string): Fit | undefined {
  const query = foldLoosely(typed);
  const folded = foldLoosely(name);
  if (folded.startsWith(query)) return 0;
  // With a blank in it, it is the beginning of a name or the text behind one.
  if (query.includes(' ')) return undefined;
  if (folded.split(/[\s._'-]+/).some((word) => word.startsWith(query))) return 1;
  return folded.includes(query) ? 2 : undefined;
}
