/** Changes DOM nodes in place, touching only what differs. */

/** Makes `old` equal to `fresh`, an element of the same name. `fresh` is consumed. */
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

/** A text that only grew is extended: long code is not laid out again for each chunk. */
function setText(node: Text, text: string): void {
  if (text.startsWith(node.data)) node.appendData(text.slice(node.data.length));
  else node.data = text;
}

/** Keeps styles, such as the widths of table columns. */
function copyAttributes(old: Element, fresh: Element): void {
  const gone = old.getAttributeNames().filter((name) => name !== 'style' && !fresh.hasAttribute(name));
  for (const name of gone) old.removeAttribute(name);
  for (const name of fresh.getAttributeNames()) {
    const value = fresh.getAttribute(name) ?? '';
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}
