import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TextView } from '../stream/text_view';
import { type FrameMessage, SOURCE_CHARS_MAX, withVersion } from './diagram_protocol';
import { ANSWER_MS_MAX, frameDiagram } from './frame_diagram';

/** Reports to the newest observer that its target is near. */
let comeNear: () => void;

class FakeObserver {
  observe = () => {};
  disconnect = () => {};

  constructor(callback: (entries: { isIntersecting: boolean }[]) => void) {
    comeNear = () => callback([{ isIntersecting: true }]);
  }
}

let end: () => void;
let sources = 0;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('IntersectionObserver', FakeObserver);
});

afterEach(() => {
  end?.();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function diagram(source = `graph TD\nA${sources++}`): HTMLElement {
  // Not in the document: nothing is loaded here.
  const root = document.createElement('div');
  new TextView(root, {}, () => {}).finish(`\`\`\`mermaid\n${source}\n\`\`\``);
  const card = root.querySelector<HTMLElement>('.code-card');
  if (!card) throw new Error('no code');
  end = frameDiagram(card);
  return card;
}

function frameOf(card: HTMLElement): HTMLIFrameElement {
  const frame = card.querySelector('iframe');
  if (!frame) throw new Error('no frame');
  return frame;
}

/** Frames have no window of their own here. */
function windowOf(card: HTMLElement): object {
  const frame = frameOf(card);
  if (!frame.contentWindow) Object.defineProperty(frame, 'contentWindow', { value: { postMessage: vi.fn() } });
  return frame.contentWindow ?? {};
}

function say(card: HTMLElement, word: FrameMessage, from: unknown = windowOf(card)): void {
  const event = new MessageEvent('message', { data: withVersion(word) });
  Object.defineProperty(event, 'source', { value: from });
  window.dispatchEvent(event);
}

it('has no frame before it is near the viewport', () => {
  const card = diagram();
  expect(card.querySelector('iframe')).toBeNull();
  comeNear();
  expect(frameOf(card).getAttribute('sandbox')).toBe('allow-scripts');
  expect(card.dataset.shows).toBeUndefined();
});

it('replaces its source when it is drawn, with the reported height', () => {
  const card = diagram();
  comeNear();
  say(card, { type: 'drawn', height: 210 });
  expect(card.dataset.shows).toBe('diagram');
  expect(frameOf(card).style.height).toBe('210px');
});

it('asks for its source in the theme of the page, as soon as the frame is there', () => {
  document.documentElement.dataset.theme = 'dark';
  const card = diagram('graph TD\nasked');
  comeNear();
  const frame = windowOf(card) as { postMessage: ReturnType<typeof vi.fn> };
  say(card, { type: 'ready' });
  const draw = withVersion({ type: 'draw', source: 'graph TD\nasked', theme: 'dark' });
  expect(frame.postMessage).toHaveBeenCalledWith(draw, '*');
  delete document.documentElement.dataset.theme;
});

it('accepts messages only from its own frame', () => {
  const card = diagram();
  comeNear();
  say(card, { type: 'drawn', height: 210 }, window);
  expect(card.dataset.shows).toBeUndefined();
});

it('has its height at once when it is mounted again', () => {
  const card = diagram('graph TD\nback');
  comeNear();
  say(card, { type: 'drawn', height: 333 });
  end();
  const again = diagram('graph TD\nback');
  expect(again.dataset.shows).toBe('diagram');
  expect(frameOf(again).style.height).toBe('333px');
});

it('switches to its source and back', () => {
  const card = diagram();
  comeNear();
  say(card, { type: 'drawn', height: 100 });
  const toggle = card.querySelector<HTMLButtonElement>('.code-toggle');
  toggle?.click();
  expect([card.dataset.shows, toggle?.textContent]).toEqual(['source', 'Diagram']);
  toggle?.click();
  expect([card.dataset.shows, toggle?.textContent]).toEqual(['diagram', 'Source']);
});

it('shows the source and says why when it cannot be drawn', () => {
  const card = diagram();
  comeNear();
  say(card, { type: 'failed', reason: 'Parse error <b>' });
  expect(card.querySelector('.diagram-problem')?.textContent).toBe('The diagram could not be drawn: Parse error <b>');
  expect(card.querySelector('iframe')).toBeNull();
  expect(card.dataset.shows).toBeUndefined();
});

it('reports a frame that does not answer', () => {
  const card = diagram();
  comeNear();
  vi.advanceTimersByTime(ANSWER_MS_MAX);
  expect(card.querySelector('.diagram-problem')?.textContent).toContain('10 s');
});

it('does not draw what is too long', () => {
  const card = diagram(`graph TD\n${'A'.repeat(SOURCE_CHARS_MAX)}`);
  expect(card.querySelector('.diagram-problem')?.textContent).toContain('too long');
});
