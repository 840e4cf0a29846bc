// Checks the contrast of every pair of colours that are used together, from the file that defines all colours.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './harness/paths.mjs';

/** WCAG 2.2, AA: text (1.4.3) and non-text contrast (1.4.11). */
const TEXT_MIN = 4.5;
const SIGN_MIN = 3;

const SURFACES = ['canvas', 'sunken', 'raised', 'overlay', 'hover', 'selected'].map((name) => `surface-${name}`);
const SOURCES = ['user', 'applet', 'agent', 'scheduler'];
const PEOPLE = [1, 2, 3, 4, 5, 6];
const CODE = ['text', 'comment', 'keyword', 'string', 'number', 'name'];

/** Text pairs: [text colours, backgrounds]. */
const TEXTS = [
  [['text', 'text-muted', 'text-faint', 'accent', 'ok', 'warn', 'danger'], SURFACES],
  [['color-assistant-text', 'text-muted', 'text-faint', 'accent', 'ok', 'warn', 'danger'], ['color-assistant-bg']],
  [['text', 'text-muted', 'text-faint', 'accent', 'warn'], ['ask-bg']],
  [SOURCES.map((source) => `color-${source}-ink`), SURFACES],
  ...SOURCES.map((source) => [[`color-${source}-text`], [`color-${source}-bg`]]),
  [PEOPLE.map((number) => `person-${number}-ink`), SURFACES],
  [['person-text'], PEOPLE.map((number) => `person-${number}-bg`)],
  [CODE.map((part) => `code-${part}`), ['code-bg']],
  [['accent-fill-text'], ['accent-fill', 'danger-fill']],
];

/**
 * Non-text pairs: borders of controls, focus, marks. A filled button is identified by its text; focus inside a bubble
 * has the colour of its text.
 */
const SIGNS = [
  [
    ['line-control', 'focus', 'ok-mark', 'warn-mark', 'run-mark'],
    ['surface-canvas', 'surface-sunken', 'surface-raised', 'surface-overlay'],
  ],
  [
    ['focus', 'run-mark'],
    ['surface-hover', 'surface-selected', 'color-assistant-bg', 'code-bg'],
  ],
  [['ask-line'], ['surface-canvas', 'ask-bg']],
];

const css = readFileSync(path.join(ROOT, 'web/src/style/tokens.css'), 'utf8');
const problems = differencesOfLight();
const lowest = {};
let count = 0;
for (const theme of ['dark', 'light']) {
  for (const [pairs, min] of [
    [TEXTS, TEXT_MIN],
    [SIGNS, SIGN_MIN],
  ])
    checkPairs(theme, coloursOf(theme), pairs, min);
}
for (const problem of problems) console.log(problem);
const { dark, light } = lowest;
console.log(`${count} pairs, ${problems.length} problems; lowest text: dark ${dark}, light ${light}`);
process.exit(problems.length === 0 ? 0 : 1);

function checkPairs(theme, colours, pairs, min) {
  for (const [inks, grounds] of pairs) {
    for (const ink of inks) for (const ground of grounds) checkPair(theme, colours, ink, ground, min);
  }
}

function checkPair(theme, colours, ink, ground, min) {
  count += 1;
  const ratio = contrast(colourNamed(colours, ink), colourNamed(colours, ground));
  const shown = `${ratio.toFixed(2)} (${ink} on ${ground})`;
  if (min === TEXT_MIN && !(Number.parseFloat(lowest[theme]) <= ratio)) lowest[theme] = shown;
  if (ratio < min) problems.push(`${theme}: ${shown}, at least ${min}`);
}

function colourNamed(colours, name) {
  const colour = colours.get(name);
  if (!/^#[0-9a-f]{6}$/.test(colour ?? '')) throw new Error(`tokens.css: --${name} is no plain colour but ${colour}`);
  return colour;
}

/** Returns every custom property of one theme. */
function coloursOf(theme) {
  const side = (value) => value.replace(/^light-dark\((\S+), (\S+)\)$/, theme === 'light' ? '$1' : '$2');
  const all = declarations(blockAfter(':root {'));
  const own = theme === 'light' ? declarations(blockAfter('[data-theme="light"] {\n  --')) : new Map();
  return new Map([...all, ...own].map(([name, value]) => [name, side(value)]));
}

/** The light colours of the sources are defined twice, for the setting and for the system: they must be equal. */
function differencesOfLight() {
  const bySwitch = declarations(blockAfter('[data-theme="light"] {\n  --'));
  const bySystem = declarations(blockAfter(':root:not([data-theme]) {'));
  const names = new Set([...bySwitch.keys(), ...bySystem.keys()]);
  return [...names]
    .filter((name) => bySwitch.get(name) !== bySystem.get(name))
    .map((name) => `light: --${name} is ${bySwitch.get(name)} by the switch and ${bySystem.get(name)} by the system`);
}

function blockAfter(start) {
  const at = css.indexOf(start);
  if (at < 0) throw new Error(`tokens.css has no block that begins with ${start}`);
  return css.slice(css.indexOf('{', at) + 1, css.indexOf('}', at));
}

function declarations(block) {
  return new Map([...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value.trim()]));
}

/** Returns the WCAG contrast ratio: from 1 (equal) to 21 (black on white). */
function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
