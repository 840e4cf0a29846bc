/** Stories: what somebody does in the page, and what must be true then. Each file of `stories/` tells a few. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startHub } from './hub.mjs';
import { fileName, OUT } from './paths.mjs';
import { administrator, People } from './people.mjs';
import { createScene } from './scene.mjs';

/** A story that has not ended by then never will; `{ minutes }` gives it longer. */
const STORY_MINUTES_MAX = 1;

const stories = [];

/**
 * Tells a story. Options:
 * - `on`: screens it is stories on, each a run of its own: `['desktop']` (default), `['phone']`, or both
 * - `theme`: `dark` (default) or `light`; both are pictured at the end in any case
 * - `motion`: `no-preference` when the story is about movement
 * - `expected`: patterns of console errors that belong to the story
 * - `ownHub`: true for a hub of its own, when it is killed or must be empty
 * - `signedIn`: false to begin as a stranger
 * - `minutes`: the time after which it is given up
 */
export function story(title, options, run) {
  const { on = ['desktop'] } = options;
  for (const screen of on) stories.push({ title, screen, options, run });
}

/** The stories that were stories since the last call: those of the file just imported. */
export function takeStories() {
  return stories.splice(0);
}

/** The hub that the stories of one file share. */
export class SharedHub {
  #hub;

  async open() {
    this.#hub ??= prepare();
    return this.#hub;
  }

  async close() {
    await (await this.#hub)?.hub.stop();
  }
}

async function prepare() {
  const hub = await startHub();
  const people = new People(await administrator(hub));
  return { hub, people };
}

/** Runs one story and answers undefined, or why it failed. */
export async function runStory(one, sharedHub) {
  try {
    const { hub, people } = one.options.ownHub ? await prepare() : await sharedHub.open();
    const failure = await runIn(await createScene({ hub, people, ...one }), one);
    if (one.options.ownHub) await hub.stop();
    return failure;
  } catch (error) {
    return error;
  }
}

/** The scene is cleared whatever happens in it. */
async function runIn(scene, { title, screen, options, run }) {
  try {
    await within((options.minutes ?? STORY_MINUTES_MAX) * 60_000, run(scene));
    await scene.settle();
    await picture(scene, title, screen);
    return undefined;
  } catch (error) {
    await keepEvidence(scene, title, screen, error).catch(() => undefined);
    return error;
  } finally {
    await scene.clear();
  }
}

async function within(milliseconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${milliseconds / 1000} s`)), milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Pictures of how the story ended, in both themes, to be looked at. */
async function picture({ visitors }, title, screen) {
  await mkdir(path.join(OUT, 'screens'), { recursive: true });
  const [{ page }] = visitors;
  if (page.isClosed()) return;
  for (const theme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: path.join(OUT, 'screens', `${fileName(title)}-${screen}-${theme}.png`) });
  }
}

/** What helps to understand a failure: every page as it looks and reads, its console, the log of the hub. */
async function keepEvidence({ visitors, hub }, title, screen, error) {
  const folder = path.join(OUT, 'failed', `${fileName(title)}-${screen}`);
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'error.txt'), `${error.stack ?? error}\n`);
  await writeFile(path.join(folder, 'hub.log'), hub.log.join('\n'));
  for (const [index, { page, lines, trap }] of visitors.entries()) {
    await writeFile(path.join(folder, `console-${index + 1}.txt`), [...lines, ...trap.sprung()].join('\n'));
    if (page.isClosed()) continue;
    await page.screenshot({ path: path.join(folder, `page-${index + 1}.png`) });
    const text = await page.locator('body').ariaSnapshot();
    await writeFile(path.join(folder, `page-${index + 1}.txt`), `${page.url()}\n\n${text}\n`);
  }
}
