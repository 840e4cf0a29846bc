/** Highlights finished code when the browser is idle. Only colours change, never positions. */
import { whenReady } from '../../platform/ready';
import { element } from '../markdown/build_inline';
import type { ColouredRun } from './highlighter';

/** Longer code is not highlighted. */
export const COLOURED_CHARS_MAX = 20_000;
/** Highlighted codes that are cached: rows that scroll back into view have colours at once. */
const CACHE_MAX = 100;

const cache = new Map<string, readonly ColouredRun[]>();

/** Highlights a code block; loads the language if needed. */
export async function colourCode(card: HTMLElement): Promise<void> {
  const code = card.querySelector('code');
  const text = code?.textContent ?? '';
  const name = card.dataset.language;
  if (!code || !name || text.length > COLOURED_CHARS_MAX) return;
  const key = `${name}\n${text}`;
  const known = cache.get(key);
  if (known) return paint(code, known);
  // Messages are shown before colours.
  await whenReady();
  const { findLanguage } = await import('./languages');
  const language = findLanguage(name);
  if (!language) return;
  const [highlighter, { default: grammar }] = await Promise.all([import('./highlighter'), language.load()]);
  await idle();
  highlighter.registerLanguage(language.name, grammar);
  const runs = highlighter.runsOf(text, language.name);
  addToCache(key, runs);
  if (code.textContent === text) paint(code, runs);
}

function paint(code: Element, runs: readonly ColouredRun[]): void {
  const joined = runs.map(({ text }) => text).join('');
  // A result with other characters than the code is dropped.
  if (joined !== code.textContent) return;
  code.replaceChildren(...runs.map(({ text, colour }) => (colour ? element('span', `code-${colour}`, text) : text)));
}

function addToCache(key: string, runs: readonly ColouredRun[]): void {
  cache.set(key, runs);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_MAX && oldest !== undefined) cache.delete(oldest);
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 1000 });
    else setTimeout(resolve);
  });
}
