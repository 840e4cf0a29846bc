/** The environment of a story: its own project, a signed-in page, and a record of errors. */
import { expectAccessible } from './axe.mjs';
import { newContext } from './browser.mjs';
import { addressOf } from './people.mjs';
import { setTrap } from './trap.mjs';

/** Timeout of locators. Generous, because busy machines are slow and passing stories do not wait. */
const WAIT_MS_MAX = 10_000;
/** Console lines that are kept. */
const CONSOLE_LINES_MAX = 200;

let projectCount = 0;

/**
 * A story gets `page` (Mara's), `context`, `trap`, `hub`, `people`, `admin`, `project` with its channel `general`,
 * `mara`, and the functions below.
 */
export async function createScene({ hub, people, screen, options }) {
  const { mara, project, general } = await ownProject(people);
  const notes = new Notes(options);
  const visitors = [];
  /** Opens another browser context, signed in or not; `look` overrides screen, theme and motion. */
  const visit = async (person, look = {}) => {
    const { theme, motion } = options;
    const visitor = await enter(hub, notes, { screen, theme, motion, ...look });
    visitors.push(visitor);
    if (person) await people.signIn(visitor.context, person);
    visitor.page = await visitor.context.newPage();
    return { ...visitor, person };
  };
  const { page, context, trap } = await visit(options.signedIn === false ? undefined : mara);
  return {
    ...{ page, context, trap, hub, people, admin: people.admin, project, general, mara, visit, visitors },
    /** Opens a conversation, optionally at a message or with a pane, and waits for its messages. */
    open: async (conversation = general, place = {}, where = page) => {
      await where.goto(addressOf(project, conversation, place));
      await where.locator('main.conversation .list-row').first().waitFor();
    },
    expectAccessible: (what, where = page) => expectAccessible(where, what),
    /** Fails when an unexpected error was recorded. */
    settle: async () => notes.expectNone(visitors.flatMap((visitor) => visitor.trap.sprung())),
    /** Closes the browsers and leaves the project, so that the next story does not see it. */
    clear: async () => {
      for (const visitor of visitors) await visitor.context.close().catch(() => undefined);
      await people.leave(project, mara).catch(() => undefined);
    },
  };
}

async function ownProject(people) {
  const mara = await people.person('Mara');
  projectCount += 1;
  const project = await people.project(`Project ${projectCount}`, [mara]);
  return { mara, project, general: await people.channel(project, 'general') };
}

/** A browser context without stored data, with a trap and a console listener. */
async function enter(hub, notes, look) {
  const context = await newContext(hub, look);
  context.setDefaultTimeout(WAIT_MS_MAX);
  const trap = await setTrap(context, hub);
  const lines = [];
  context.on('console', (message) => {
    const line = `${message.type()}: ${message.text()}`;
    if (lines.length < CONSOLE_LINES_MAX) lines.push(line);
    if (message.type() === 'error') notes.add(`console ${line}`);
  });
  context.on('weberror', (error) => notes.add(`uncaught ${error.error().stack ?? error.error()}`));
  return { context, trap, lines };
}

/** Records unexpected errors. */
class Notes {
  #lines = [];
  #expected;

  constructor({ expected = [], signedIn = true }) {
    // A visitor without a session is refused once, and the browser logs it.
    this.#expected = signedIn ? expected : [...expected, /status of 401/];
  }

  add(line) {
    this.#lines.push(line);
  }

  expectNone(further) {
    const isExpected = (line) => this.#expected.some((pattern) => pattern.test(line));
    const unexpected = [...this.#lines, ...further].filter((line) => !isExpected(line));
    if (unexpected.length > 0) throw new Error(`the page was not quiet:\n    ${unexpected.join('\n    ')}`);
  }
}
