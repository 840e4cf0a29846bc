/** Changes nodes into others, touching only what differs: what is already on the screen stays the same node. */

/** Makes `old` equal to `fresh`, which must be an element of the same name. `fresh` is used up. */
export function morph(old: Element, fresh: Element): void {
  copyAttributes(old, fresh);
  const before = [...old.childNodes];
  const after = [...fresh.childNodes];
  for (const [index, next] of after.entries()) {
    const last = before[index];
    if (last === undefined) old.append(next);
    else if (!last.isEqualNode(next)) change(last, next);
  }
  for (const left of before.slice(after.length)) left.remove();
}

function change(last: ChildNode, next: ChildNode): void {
  if (last instanceof Text && next instanceof Text) setText(last, next.data);
  else if (last instanceof Element && next instanceof Element && last.tagName === next.tagName) morph(last, next);
  else last.replaceWith(next);
}

/** A text that only grew is extended: long code is not laid out anew for each piece. */
function setText(node: Text, text: string): void {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** Styles stay: they are not of the text, but of its place, as the widths of a table's columns are. */
function copyAttributes(old: Element, fresh: Element): void {
  const gone = old.getAttributeNames().filter((name) => name !== 'style' && !fresh.hasAttribute(name));
  for (const name of gone) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? '';
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}
