/** The cursor at the end of a streaming text. The newest has the id `workingCursor`. */
import { element } from '../markdown/build_inline';

const CURSOR_ID = 'workingCursor';
/** Cursors on the page, newest last; a text has at most one. */
const shown: HTMLElement[] = [];

export function makeCursor(): HTMLElement {
  const cursor = element('span', 'working-cursor');
  cursor.setAttribute('aria-hidden', 'true');
  shown.push(cursor);
  giveId();
  return cursor;
}

export function dropCursor(cursor: HTMLElement): void {
  cursor.remove();
  const index = shown.indexOf(cursor);
  if (index >= 0) shown.splice(index, 1);
  giveId();
}

function giveId(): void {
  const newest = shown.at(-1);
  for (const cursor of shown) if (cursor !== newest) cursor.removeAttribute('id');
  if (newest) newest.id = CURSOR_ID;
}
