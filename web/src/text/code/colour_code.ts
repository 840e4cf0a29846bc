/** Colours code that no longer changes, when the browser has nothing better to do. Only colours change, never places. */
import { whenReady } from '../../platform/ready';
import { element } from '../markdown/build_inline';
import type { ColouredRun } from './highlighter';

/** Longer code stays plain. */
export const COLOURED_CHARS_MAX = 20_000;
/** Codes whose runs are kept: rows that scroll back into view are coloured at once. */
const KEPT_MAX = 100;

const kept = new Map<string, readonly ColouredRun[]>();

/** Colours a card of code soon; the language is loaded if need be. */
export async function colourCode(card: HTMLElement): Promise<void> {
  const code = card.querySelector('code');
  const text = code?.textContent ?? '';
  const name = card.dataset.language;
  if (!code || !name || text.length > COLOURED_CHARS_MAX) return;
  const key = `${name}\n${text}`;
  const known = kept.get(key);
  if (known) return paint(code, known);
  // Messages come before their colours.
  await whenReady();
  const { findLanguage } = await import('./languages');
  const language = findLanguage(name);
  if (!language) return;
  const [highlighter, { default: grammar }] = await Promise.all([import('./highlighter'), language.load()]);
  await idle();
  highlighter.learn(language.name, grammar);
  const runs = highlighter.runsOf(text, language.name);
  keep(key, runs);
  if (code.textContent === text) paint(code, runs);
}

function paint(code: Element, runs: readonly ColouredRun[]): void {
  const joined = runs.map(({ text }) => text).join('');
  // A colouring that loses or invents a character is not shown.
  if (joined !== code.textContent) return;
  code.replaceChildren(...runs.map(({ text, colour }) => (colour ? element('span', `code-${colour}`, text) : text)));
}

function keep(key: string, runs: readonly ColouredRun[]): void {
  kept.set(key, runs);
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: 1000 });
    else setTimeout(resolve);
  });
}
