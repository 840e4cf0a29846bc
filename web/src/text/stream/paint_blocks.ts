/**
 * Renders the blocks of a text.
 *
 * Block *i* is child *i*. The element of a block in the tail becomes that of the settled block, changed only where it
 * differs; a settled element is never touched again. So nothing moves when a block is finished.
 */
import { buildBlock, isTableRest } from '../markdown/build';
import { element, type RenderOptions } from '../markdown/build_inline';
import { Levels } from '../markdown/heading_levels';
import { fixColumns } from './fix_columns';
import { morph } from './morph';
import type { Block, Tail } from './stream_doc';
import { dropCursor, makeCursor } from './working_cursor';

export class BlockPainter {
  readonly #root: HTMLElement;
  readonly #look: RenderOptions;
  readonly #onSettled: (block: HTMLElement) => void;
  readonly #levels = new Levels();
  #tail: HTMLElement[] = [];
  #openMarks = 0;
  /** Text that arrived since the tail was parsed. */
  readonly #rest = new Text();
  #cursor: HTMLElement | undefined;

  /** `onSettled` gets each block once, when it no longer changes. */
  constructor(root: HTMLElement, look: RenderOptions, onSettled: (block: HTMLElement) => void) {
    this.#root = root;
    this.#look = look;
    this.#onSettled = onSettled;
  }

  /** Renders settled blocks and the tail after them. */
  paint(settled: readonly Block[], tail: Tail): void {
    this.#rest.remove();
    this.#cursor?.remove();
    for (const block of settled) this.#finish(this.#settle(block));
    const levels = this.#levels.copy();
    const before = this.#tail;
    this.#tail = tail.blocks.map((block, index) => this.#show(block, before[index], levels));
    for (const left of before.slice(tail.blocks.length)) left.remove();
    this.#openMarks = tail.openMarks;
    for (const block of this.#tail) fixColumns(block);
  }

  /** Shows unparsed text at the position where it will be, followed by the cursor. */
  showRest(text: string): void {
    this.#cursor ??= makeCursor();
    if (this.#tail.length === 0 && text !== '') this.#tail = [this.#place(element('p'), false)];
    this.#rest.data = text;
    const place = endOf(this.#tail.at(-1) ?? this.#root, this.#openMarks);
    place.append(this.#rest, this.#cursor);
  }

  endTyping(): void {
    this.#rest.remove();
    if (this.#cursor) dropCursor(this.#cursor);
    this.#cursor = undefined;
  }

  #finish(block: HTMLElement): void {
    fixColumns(block);
    this.#onSettled(block);
  }

  #settle(block: Block): HTMLElement {
    return this.#show(block, this.#tail.shift(), this.#levels);
  }

  #show(block: Block, before: HTMLElement | undefined, levels: Levels): HTMLElement {
    const fresh = buildBlock(block, { ...this.#look, levels });
    if (before?.tagName === fresh.tagName && before.className === fresh.className) {
      morph(before, fresh);
      return before;
    }
    const placed = this.#place(fresh, isTableRest(block), before);
    before?.remove();
    return placed;
  }

  /** Further rows go into the table that is the last child. */
  #place(fresh: HTMLElement, isRest: boolean, before?: HTMLElement): HTMLElement {
    const table = isRest ? this.#root.querySelector(':scope > .table-scroll:last-of-type > table') : undefined;
    if (table) table.append(fresh);
    else if (before?.parentNode === this.#root) before.after(fresh);
    else this.#root.append(fresh);
    return fresh;
  }
}

/** Elements that contain the next text when they come last. */
const TEXT_CONTAINERS =
  'p, h3, h4, h5, h6, ul, ol, li, blockquote, table, tbody, tr, td, th, pre, pre > code, .task, .task > span';
const MARKS = 'strong, em, del, code';

/** Returns the deepest element at the end of a block that its text continues in. */
function endOf(block: HTMLElement, openMarks: number): Element {
  let place: Element = block.tagName === 'HR' && block.parentElement ? block.parentElement : block;
  for (let marks = openMarks; ; ) {
    const last = lastElement(place);
    if (!last) return place;
    if (!last.matches(TEXT_CONTAINERS)) {
      if (marks === 0 || !last.matches(MARKS) || last !== place.lastChild) return place;
      marks -= 1;
    }
    place = last;
  }
}

/** In an incomplete row, the cell with the last text. */
function lastElement(place: Element): Element | null {
  if (place.tagName !== 'TR') return place.lastElementChild;
  return [...place.children].findLast((cell) => cell.textContent !== '') ?? place.firstElementChild;
}
