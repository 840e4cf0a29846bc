// Measures the page against its budgets and prints a table: `node figures.mjs [part …]`.
//
// Counts and ratios say `ok` or `OVER`; times stand only beside them, for they are the machine's as much as the page's.

import { makeRoom } from './figures/fixture.mjs';
import { measureFrames } from './figures/frames.mjs';
import { measureHostile } from './figures/hostile.mjs';
import { measureLoad } from './figures/load.mjs';
import { measureMemory } from './figures/memory.mjs';
import { measureStillness } from './figures/stillness.mjs';
import { measureStreaming } from './figures/streaming.mjs';
import { closeBrowser } from './harness/browser.mjs';

const PARTS = {
  load: measureLoad,
  // Loaded on demand: it is slow.
  lighthouse: async (room) => (await import('./figures/lighthouse.mjs')).measureLighthouse(room),
  streaming: measureStreaming,
  stillness: measureStillness,
  frames: measureFrames,
  memory: measureMemory,
  hostile: measureHostile,
};

const wanted = process.argv.slice(2);
if (wanted.some((name) => !(name in PARTS))) {
  console.error(`usage: node figures.mjs [part …]\nparts: ${Object.keys(PARTS).join(' ')}`);
  process.exit(2);
}
const room = await makeRoom(Number(process.env.PARLOUR_FIGURES_SIZE ?? 10_000));
console.log('| what | measured | bound | |\n|---|---|---|---|');
for (const name of wanted.length > 0 ? wanted : Object.keys(PARTS)) {
  const rows = await PARTS[name](room).catch((error) => [
    { what: `${name} was not measured`, note: error.message.split('\n')[0] },
  ]);
  for (const row of rows) console.log(lineOf(row));
}
await closeBrowser();
await room.hub.stop();

function lineOf({ what, value, unit = '', min, max, note = '' }) {
  const shown = value === undefined ? '' : `${rounded(value)} ${unit}`.trim();
  const bound = max !== undefined ? `≤ ${rounded(max)} ${unit}`.trim() : min !== undefined ? `≥ ${min}` : '';
  const isWithin = !(value > max) && !(value < min) && !Number.isNaN(value);
  const verdict = bound === '' ? '' : isWithin ? 'ok' : 'OVER';
  return `| ${what} | ${shown} | ${bound} | ${[verdict, note].filter(Boolean).join(' · ')} |`;
}

function rounded(value) {
  return Number.isInteger(value) ? String(value) : value.toFixed(Math.abs(value) < 0.1 ? 4 : 2);
}
