/** Stories: what somebody does in the page, and what must be true then. Each file of `stories/` tells a few. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expectAccessible } from './axe.mjs';
import { newContext } from './browser.mjs';
import { startHub } from './hub.mjs';
import { addressOf, administrator, People } from './people.mjs';
import { fileName, OUT } from './places.mjs';
import { setTrap } from './trap.mjs';

/** A story that has not ended by then never will; `{ minutes }` gives it longer. */
const STORY_MINUTES_MAX = 1;
/** A locator that finds nothing fails after this long. Generous: two busy cores are slow, and passing is quick. */
const WAIT_MS_MAX = 10_000;
/** How much of a page's console is kept. */
const CONSOLE_LINES_MAX = 200;

const told = [];

/**
 * Tells a story. Options:
 * - `on`: screens it is told on, each a run of its own: `['desktop']` (default), `['phone']`, or both
 * - `theme`: `dark` (default) or `light`; both are pictured at the end in any case
 * - `motion`: `no-preference` when the story is about movement
 * - `expected`: patterns of console errors that belong to the story
 * - `ownHub`: true for a hub of its own, when it is killed or must be empty
 * - `signedIn`: false to begin as a stranger
 * - `minutes`: the time after which it is given up
 */
export function story(title, options, tell) {
  const { on = ['desktop'] } = options;
  for (const screen of on) told.push({ title, screen, options, tell });
}

/** The stories that were told since the last call: those of the file just imported. */
export function takeStories() {
  return told.splice(0);
}

/** The hub that the stories of one file share. */
export class Stage {
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

let projectCount = 0;

/** Runs one story and answers undefined, or why it failed. */
export async function runStory({ title, screen, options, tell }, stage) {
  const { hub, people } = options.ownHub ? await prepare() : await stage.open();
  const scene = await setScene({ hub, people, screen, options });
  let failure;
  try {
    await within((options.minutes ?? STORY_MINUTES_MAX) * 60_000, tell(scene));
    await scene.settle();
    await picture(scene, title, screen);
  } catch (error) {
    failure = error;
    await keepEvidence(scene, title, screen, error).catch(() => undefined);
  }
  await scene.clear();
  if (options.ownHub) await hub.stop();
  return failure;
}

/**
 * What a story gets: `page` (Mara's), `context`, `hub`, `people`, `admin`, `project` with its channel `general`, `mara`,
 * and the functions below.
 */
async function setScene({ hub, people, screen, options }) {
  const mara = await people.person('Mara');
  projectCount += 1;
  const project = await people.project(`Project ${projectCount}`, [mara]);
  const general = await people.channel(project, 'general');
  const visitors = [];
  const problems = [];
  // A stranger is refused once, and the browser logs it.
  const expected = [...(options.expected ?? []), ...(options.signedIn === false ? [/status of 401/] : [])];
  const isExpected = (line) => expected.some((pattern) => pattern.test(line));

  /** A further browser, signed in as somebody or as nobody; `look` overrides screen, theme and motion. */
  async function visit(person, look = {}) {
    const context = await newContext(hub, { screen, theme: options.theme, motion: options.motion, ...look });
    context.setDefaultTimeout(WAIT_MS_MAX);
    const trap = await setTrap(context, hub);
    const lines = [];
    context.on('console', (message) => {
      const line = `${message.type()}: ${message.text()}`;
      if (lines.length < CONSOLE_LINES_MAX) lines.push(line);
      if (message.type() === 'error' && !isExpected(line)) problems.push(`console ${line}`);
    });
    context.on('weberror', (error) => problems.push(`uncaught ${error.error().stack ?? error.error()}`));
    if (person) await people.signIn(context, person);
    const page = await context.newPage();
    visitors.push({ context, page, trap, lines });
    return { context, page, trap, person };
  }

  const first = await visit(options.signedIn === false ? undefined : mara);
  return {
    ...first,
    hub,
    people,
    admin: people.admin,
    project,
    general,
    mara,
    visit,
    /** Opens a conversation: a channel, thread or dm, perhaps at a message, perhaps with a pane. Its messages are there then. */
    open: async (conversation = general, place = {}, page = first.page) => {
      await page.goto(addressOf(project, conversation, place));
      await page.locator('main.conversation .list-row').first().waitFor();
    },
    expectAccessible: (what, page = first.page) => expectAccessible(page, what),
    visitors,
    /** Fails when anything happened that no story may bring about. */
    settle: async () => {
      const sprung = visitors.flatMap(({ trap }) => trap.sprung()).filter((line) => !isExpected(line));
      const all = [...problems, ...sprung];
      if (all.length > 0) throw new Error(`the page was not quiet:\n    ${all.join('\n    ')}`);
    },
    clear: async () => {
      for (const { context } of visitors) await context.close().catch(() => undefined);
      if (!options.ownHub) await people.leave(project, mara).catch(() => undefined);
    },
  };
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
