import { render } from '@solidjs/testing-library';
import { createSignal } from 'solid-js';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { announcement } from '../../platform/announce';
import type { GrowingText } from '../../state/contract';
import { Markdown } from './Markdown';

class Typed implements GrowingText {
  #text = '';
  readonly #listeners = new Set<(text: string) => void>();

  text = () => this.#text;

  listen(onText: (text: string) => void) {
    this.#listeners.add(onText);
    return () => this.#listeners.delete(onText);
  }

  type(piece: string) {
    this.#text += piece;
    for (const tell of this.#listeners) tell(this.#text);
  }

  get listeners() {
    return this.#listeners.size;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('shows a stored text, and its edited one', () => {
  const [source, setSource] = createSignal('**one**');
  const { container } = render(() => <Markdown source={source()} />);
  expect(container.innerHTML).toBe('<div class="markdown"><p><strong>one</strong></p></div>');
  setSource('two');
  expect(container.textContent).toBe('two');
});

it('grows, and ends as its source without being built anew', () => {
  const typed = new Typed();
  typed.type('# Title\n\nso ');
  const [growing, setGrowing] = createSignal<GrowingText | undefined>(typed);
  const { container } = render(() => <Markdown source={'# Title\n\nso far'} growing={growing()} />);
  const [title, paragraph] = container.querySelectorAll('h2, p');
  typed.type('far');
  vi.runAllTimers();
  expect(container.querySelector('#workingCursor')).not.toBeNull();
  setGrowing(undefined);
  expect([...container.querySelectorAll('h2, p')]).toEqual([title, paragraph]);
  expect(container.innerHTML).toBe('<div class="markdown"><h2 data-depth="1">Title</h2><p>so far</p></div>');
  expect(typed.listeners).toBe(0);
});

it('stops listening when it leaves the page', () => {
  const typed = new Typed();
  const { unmount } = render(() => <Markdown source="" growing={typed} />);
  expect(typed.listeners).toBe(1);
  unmount();
  expect(typed.listeners).toBe(0);
  expect(document.querySelector('.working-cursor')).toBeNull();
});

it('copies code exactly and says so', async () => {
  vi.useRealTimers();
  const writeText = vi.fn(async () => {});
  vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } });
  const { getByRole, findByRole } = render(() => <Markdown source={'```js\nlet a = "<b>";\n\n  b\n```'} />);
  getByRole('button', { name: 'Copy' }).click();
  await findByRole('button', { name: 'Copied' });
  expect(writeText).toHaveBeenCalledWith('let a = "<b>";\n\n  b');
  expect(announcement()).toBe('Code copied');
  vi.unstubAllGlobals();
});

it('opens the pictures of one text together', async () => {
  const { getByRole } = render(() => (
    <Markdown source={'![One](/artifacts/a/content)\n\n![Two](/artifacts/b/content)'} />
  ));
  getByRole('button', { name: 'Open image: Two' }).click();
  // The lightbox is loaded on demand, which takes long on a busy machine.
  await vi.waitFor(() => expect(document.querySelector('dialog.lightbox')?.textContent).toContain('2 of 2'), 10_000);
});
