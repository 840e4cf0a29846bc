/** Link definitions of a text, as in `[docs]: https://…`. */
import type { Links } from 'marked';

const DEFINITIONS_MAX = 500;
const DEFINITION = /^ {0,3}\[(?!\s*\])([^[\]\\\n]{1,200})\]: *(?:<([^<>\n]+)>|([^<\s]\S*))/gm;

/** Returns all definitions of a text. The first of a label counts. The object has no prototype. */
export function definitions(text: string): Links {
  const links = noLinks();
  let found = 0;
  for (const [, label = '', bracketed, bare] of text.matchAll(DEFINITION)) {
    links[normalLabel(label)] ??= { href: bracketed ?? bare ?? '', title: null };
    found += 1;
    if (found === DEFINITIONS_MAX) break;
  }
  return links;
}

/** Returns a copy for temporary definitions. */
export function copyLinks(links: Links): Links {
  return Object.assign(noLinks(), links);
}

function noLinks(): Links {
  return Object.create(null) as Links;
}

/** Normalises a label like marked. */
function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase();
}
