// Runs the stories: `node run.mjs [text …]`; a text is a part of a file name or title.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { closeBrowser } from './harness/browser.mjs';
import { E2E, OUT } from './harness/paths.mjs';
import { runStory, SharedHub, takeStories } from './harness/story.mjs';

/** Files that run concurrently, each with its own hub; the browser is shared. */
const JOBS = 2;

const filters = process.argv.slice(2).map((text) => text.toLowerCase());
const isChosen = (...texts) =>
  filters.length === 0 || filters.some((filter) => texts.some((text) => text.toLowerCase().includes(filter)));

const failures = [];
let passed = 0;
const started = performance.now();
if (filters.length === 0) await rm(OUT, { recursive: true, force: true });
const files = await readFiles();
await Promise.all(Array.from({ length: JOBS }, runFiles));
await closeBrowser();
for (const { name, error } of failures) console.log(`\n${name}\n    ${error.message}`);
console.log(`\n${passed} passed, ${failures.length} failed, ${seconds(started)}`);
if (failures.length > 0) {
  console.log(`screens, consoles and logs of the failed ones: ${path.relative(process.cwd(), OUT)}/failed`);
}
process.exit(failures.length === 0 && passed > 0 ? 0 : 1);

/** Returns the selected stories by file, largest first, so that no worker ends with a long one. */
async function readFiles() {
  const found = [];
  for (const file of (await readdir(path.join(E2E, 'stories'))).filter((name) => name.endsWith('.mjs')).sort()) {
    await import(path.join(E2E, 'stories', file));
    const stories = takeStories().filter(({ title }) => isChosen(file, title));
    if (stories.length > 0) found.push({ area: file.replace('.mjs', ''), stories });
  }
  return found.sort((one, other) => other.stories.length - one.stories.length);
}

async function runFiles() {
  for (let file = files.shift(); file; file = files.shift()) {
    const sharedHub = new SharedHub();
    for (const one of file.stories) await runOne(file.area, one, sharedHub);
    await sharedHub.close();
  }
}

async function runOne(area, one, sharedHub) {
  const begun = performance.now();
  const error = await runStory(one, sharedHub);
  const name = `${area} · ${one.title} · ${one.screen}`;
  console.log(`${error ? 'FAILED' : 'ok    '} ${seconds(begun).padStart(7)}  ${name}`);
  if (error) failures.push({ name, error });
  else passed += 1;
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
