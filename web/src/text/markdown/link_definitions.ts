/** Addresses that a text defines by label, as in `[docs]: https://…`, for links that name the label alone. */
import type { Links } from 'marked';

const DEFINITIONS_MAX = 500;
const DEFINITION = /^ {0,3}\[(?!\s*\])([^[\]\\\n]{1,200})\]: *(?:<([^<>\n]+)>|([^<\s]\S*))/gm;

/** All definitions of a whole text. The first of a label counts. Labels are data: nothing is inherited. */
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

/** A copy to which definitions may be added that do not last. */
export function copyLinks(links: Links): Links {
  return Object.assign(noLinks(), links);
}

function noLinks(): Links {
  return Object.create(null) as Links;
}

/** Labels are compared as marked compares them. */
function normalLabel(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase();
}
