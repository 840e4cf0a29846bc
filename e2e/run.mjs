// Runs the stories: `node run.mjs [text …]`, where a text is a part of a file's name or of a title.
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { closeBrowser } from './harness/browser.mjs';
import { E2E, OUT } from './harness/places.mjs';
import { runStory, Stage, takeStories } from './harness/story.mjs';

const filters = process.argv.slice(2).map((text) => text.toLowerCase());
const isChosen = (...texts) =>
  filters.length === 0 || filters.some((filter) => texts.some((text) => text.toLowerCase().includes(filter)));

const failures = [];
let passed = 0;
const started = performance.now();
if (filters.length === 0) await rm(OUT, { recursive: true, force: true });
for (const file of (await readdir(path.join(E2E, 'stories'))).filter((name) => name.endsWith('.mjs')).sort()) {
  await runFile(file);
}
await closeBrowser();
for (const { name, error } of failures) console.log(`\n${name}\n    ${error.message}`);
console.log(`\n${passed} passed, ${failures.length} failed, ${seconds(started)}`);
if (failures.length > 0)
  console.log(`screens, consoles and logs of the failed ones: ${path.relative(process.cwd(), OUT)}/failed`);
process.exit(failures.length === 0 && passed > 0 ? 0 : 1);

async function runFile(file) {
  await import(path.join(E2E, 'stories', file));
  const stories = takeStories().filter(({ title }) => isChosen(file, title));
  const stage = new Stage();
  for (const one of stories) {
    const begun = performance.now();
    const error = await runStory(one, stage);
    const name = `${file.replace('.mjs', '')} · ${one.title} · ${one.screen}`;
    console.log(`${error ? 'FAILED' : 'ok    '} ${seconds(begun).padStart(7)}  ${name}`);
    if (error) failures.push({ name, error });
    else passed += 1;
  }
  await stage.close();
}

function seconds(since) {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
