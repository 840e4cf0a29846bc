/** Registers and runs stories: browser tests from the view of a person. Each file of `stories/` has a few. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startHub } from './hub.mjs';
import { fileName, OUT } from './paths.mjs';
import { administrator, People } from './people.mjs';
import { createScene } from './scene.mjs';

/** Time limit of a story; `{ minutes }` extends it. */
const STORY_MINUTES_MAX = 1;

const stories = [];

/**
 * Registers a story. Options:
 * - `on`: screens, one run each: `['desktop']` (default), `['phone']`, or both
 * - `theme`: `dark` (default) or `light`; screenshots are taken in both
 * - `motion`: `no-preference` for stories about animations
 * - `expected`: patterns of console errors that belong to the story
 * - `ownHub`: true for a separate hub, when it is killed or must be empty
 * - `signedIn`: false to start without a session
 * - `minutes`: time limit
 */
export function story(title, options, run) {
  const { on = ['desktop'] } = options;
  for (const screen of on) stories.push({ title, screen, options, run });
}

/** Returns the stories registered since the last call. */
export function takeStories() {
  return stories.splice(0);
}

/** The hub that all stories of one file share. */
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

/** Runs one story; returns the error if it failed. */
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

/** The scene is always cleaned up. */
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

/** Takes screenshots of the final state in both themes. */
async function picture({ visitors }, title, screen) {
  await mkdir(path.join(OUT, 'screens'), { recursive: true });
  const [{ page }] = visitors;
  if (page.isClosed()) return;
  for (const theme of ['dark', 'light']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: path.join(OUT, 'screens', `${fileName(title)}-${screen}-${theme}.png`) });
  }
}

/** Saves evidence of a failure: screenshot and text of every page, its console, and the log of the hub. */
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
