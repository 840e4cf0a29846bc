/** One text on the page, complete or growing. Parses at most every 50 characters or 200 ms. */
import type { RenderOptions } from '../markdown/build_inline';
import { BlockPainter } from './paint_blocks';
import { StreamDoc } from './stream_doc';

export const FLUSH_CHARS = 50;
export const FLUSH_MS = 200;

export class TextView {
  readonly #root: HTMLElement;
  readonly #look: RenderOptions;
  readonly #onSettled: (block: HTMLElement) => void;
  #doc = new StreamDoc();
  #painter: BlockPainter;
  /** All received text, parsed or not. */
  #text = '';
  #unread = '';
  #state: 'empty' | 'growing' | 'whole' = 'empty';
  #flushedAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, look: RenderOptions, onSettled: (block: HTMLElement) => void) {
    this.#root = root;
    this.#look = look;
    this.#onSettled = onSettled;
    this.#painter = new BlockPainter(root, look, onSettled);
  }

  /** Shows a growing text. `text` is all of it so far. */
  grow(text: string): void {
    if (this.#state === 'whole' || !text.startsWith(this.#text)) this.#begin('');
    this.#state = 'growing';
    this.#unread += text.slice(this.#text.length);
    this.#text = text;
    const isDue = this.#unread.length >= FLUSH_CHARS || performance.now() - this.#flushedAt >= FLUSH_MS;
    if (isDue) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#flushedAt + FLUSH_MS - performance.now());
    this.#painter.showRest(this.#unread);
  }

  /** Shows a complete text. If it is the one that grew, the elements stay. */
  finish(text: string): void {
    if (this.#state === 'whole' && text === this.#text) return;
    const isSame = this.#state === 'growing' && text.startsWith(this.#text);
    if (!isSame) this.#begin(text);
    const piece = isSame ? this.#unread + text.slice(this.#text.length) : text;
    this.#stopTimer();
    this.#painter.endTyping();
    this.#painter.paint([...this.#doc.append(piece), ...this.#doc.finish()], { blocks: [], openMarks: 0 });
    this.#text = text;
    this.#unread = '';
    this.#state = 'whole';
  }

  close(): void {
    this.#stopTimer();
    this.#painter.endTyping();
  }

  #flush(): void {
    this.#stopTimer();
    this.#flushedAt = performance.now();
    const settled = this.#doc.append(this.#unread);
    this.#unread = '';
    this.#painter.paint(settled, this.#doc.tail());
    this.#painter.showRest('');
  }

  #begin(known: string): void {
    this.close();
    this.#root.replaceChildren();
    this.#doc = new StreamDoc(known);
    this.#painter = new BlockPainter(this.#root, this.#look, this.#onSettled);
    this.#text = '';
    this.#unread = '';
    this.#flushedAt = Number.NEGATIVE_INFINITY;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
