/**
 * `solid-js/web` with one change: the templates of compiled components pass a Trusted Types policy of ours.
 *
 * It is the only place where HTML is made from text, and it sees only constants of the build: what users write becomes
 * nodes one by one in `text/build.ts`.
 */
export * from 'solid-js/web';

type HtmlPolicy = { createHTML(html: string): string };
type TrustedTypesHost = { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } };

const rules: HtmlPolicy = { createHTML: (html) => html };
const policy = (globalThis as TrustedTypesHost).trustedTypes?.createPolicy('parlour-template', rules) ?? rules;

/** Makes the nodes of a component's constant markup once, and copies them for each use. */
export function template(html: string, isImportNode?: boolean, isSvg?: boolean): () => Node {
  let made: Node | undefined;
  const make = (): Node => {
    const holder = document.createElement('template');
    holder.innerHTML = policy.createHTML(html);
    const first = holder.content.firstChild;
    const node = isSvg ? first?.firstChild : first;
    if (!node) throw new Error('a component without markup');
    return node;
  };
  const copy = () => {
    made ??= make();
    return isImportNode ? document.importNode(made, true) : made.cloneNode(true);
  };
  return Object.assign(copy, { cloneNode: copy });
}
