/**
 * `solid-js/web` with one change: templates of compiled components pass our Trusted Types policy.
 *
 * This is the only place that creates HTML from text, and it gets only constants of the build: user text becomes nodes
 * in `text/markdown/build.ts`.
 */
export * from 'solid-js/web';

type HtmlPolicy = { createHTML(html: string): string };
type TrustedTypesHost = { trustedTypes?: { createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy } };

const rules: HtmlPolicy = { createHTML: (html) => html };
const policy = (globalThis as TrustedTypesHost).trustedTypes?.createPolicy('parlour-template', rules) ?? rules;

/** Creates the nodes of a component's constant markup once and clones them for each use. */
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
