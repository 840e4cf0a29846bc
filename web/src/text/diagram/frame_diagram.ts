/**
 * Draws ```mermaid blocks in a sandboxed frame without an origin, when they come near the viewport.
 *
 * The source stays visible until the diagram is drawn; then they are swapped in one step. The height is remembered by
 * source, so a diagram that scrolls back into view has its space at once. On any error the source stays visible.
 */
import { element } from '../markdown/build_inline';
import { type FrameMessage, readFrameMessage, SOURCE_CHARS_MAX, type Theme, withVersion } from './diagram_protocol';
import { currentTheme, onThemeChange } from './theme';

const FRAME_URL = '/d/diagram.html';
export const ANSWER_MS_MAX = 10_000;
/** Diagrams are drawn within this distance of the viewport. */
const DRAW_MARGIN = '400px';
const HEIGHTS_KEPT_MAX = 200;

const heights = new Map<string, number>();

export function isDiagram(card: HTMLElement): boolean {
  return card.dataset.language === 'mermaid';
}

/** Draws the diagram of a code block once it is near; the returned function stops that. */
export function frameDiagram(card: HTMLElement): () => void {
  const source = card.querySelector('code')?.textContent ?? '';
  if (source.length > SOURCE_CHARS_MAX) {
    showFailure(card, 'This diagram is too long to be drawn.');
    return () => {};
  }
  const diagram = new Diagram(card, source);
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      diagram.open();
    },
    { rootMargin: DRAW_MARGIN },
  );
  observer.observe(card);
  return () => {
    observer.disconnect();
    diagram.close();
  };
}

class Diagram {
  readonly #card: HTMLElement;
  readonly #source: string;
  readonly #frame = makeFrame();
  readonly #toggle = element('button', 'code-toggle', 'Source');
  readonly #ends: (() => void)[] = [];
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(card: HTMLElement, source: string) {
    this.#card = card;
    this.#source = source;
    const height = heights.get(source);
    if (height !== undefined) this.#show(height);
  }

  open(): void {
    const onMessage = ({ source, data }: MessageEvent) => {
      const isOurs = source !== null && source === this.#frame.contentWindow;
      const word = isOurs ? readFrameMessage(data) : undefined;
      if (word) this.#hear(word);
    };
    window.addEventListener('message', onMessage);
    this.#ends.push(
      () => window.removeEventListener('message', onMessage),
      onThemeChange((theme) => this.#ask(theme)),
    );
    this.#awaitAnswer();
    this.#frame.src = FRAME_URL;
    this.#place();
  }

  close(): void {
    clearTimeout(this.#deadline);
    for (const end of this.#ends.splice(0)) end();
    this.#frame.remove();
  }

  #hear(word: FrameMessage): void {
    if (word.type === 'ready') {
      this.#ask(currentTheme());
      return;
    }
    clearTimeout(this.#deadline);
    if (word.type === 'drawn') {
      keepHeight(this.#source, word.height);
      this.#show(word.height);
    } else this.#fail(`The diagram could not be drawn: ${word.reason}`);
  }

  /** The frame has no origin: it checks that the message comes from its page. */
  #ask(theme: Theme): void {
    this.#awaitAnswer();
    this.#frame.contentWindow?.postMessage(withVersion({ type: 'draw', source: this.#source, theme }), '*');
  }

  #awaitAnswer(): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.#fail('The diagram was not drawn within 10 s.'), ANSWER_MS_MAX);
  }

  #show(height: number): void {
    this.#frame.style.height = `${height}px`;
    if (this.#card.dataset.shows !== undefined) return;
    this.#card.dataset.shows = 'diagram';
    this.#place();
    this.#toggle.type = 'button';
    this.#toggle.onclick = () => this.#turn();
    this.#card.querySelector('.code-copy')?.before(this.#toggle);
  }

  /** A frame that is moved in the DOM reloads, so it is inserted once. */
  #place(): void {
    if (this.#frame.parentNode !== this.#card) this.#card.append(this.#frame);
  }

  #turn(): void {
    const isSource = this.#card.dataset.shows === 'source';
    this.#card.dataset.shows = isSource ? 'diagram' : 'source';
    this.#toggle.textContent = isSource ? 'Source' : 'Diagram';
  }

  #fail(reason: string): void {
    this.close();
    this.#toggle.remove();
    delete this.#card.dataset.shows;
    heights.delete(this.#source);
    showFailure(this.#card, reason);
  }
}

function makeFrame(): HTMLIFrameElement {
  const frame = element('iframe', 'diagram-frame');
  frame.title = 'Diagram';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.referrerPolicy = 'no-referrer';
  return frame;
}

function showFailure(card: HTMLElement, reason: string): void {
  card.querySelector('.diagram-problem')?.remove();
  card.append(element('p', 'diagram-problem', reason));
}

function keepHeight(source: string, height: number): void {
  heights.set(source, height);
  const [oldest] = heights.keys();
  if (heights.size > HEIGHTS_KEPT_MAX && oldest !== undefined) heights.delete(oldest);
}
