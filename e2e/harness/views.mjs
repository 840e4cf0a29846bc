/** Opens every view and state of the page, for screenshots and checks. */
import { addressOf } from './people.mjs';

/** Opens a conversation and waits for its content. */
async function open(page, demo, conversation, place) {
  await page.goto(addressOf(demo.project, conversation, place));
  await page.locator('main.conversation .list-row').first().waitFor();
}

/** The channel with all kinds of messages and a streaming answer. */
const inRelease =
  (act = async () => undefined) =>
  async (scene) => {
    await open(scene.page, scene.demo, scene.demo.channels.release);
    await scene.page.locator('article.message[data-state=streaming]').waitFor();
    // The composer is loaded after the messages and takes the focus, which must not happen between two keys.
    await scene.page.locator('main.conversation .composer textarea').waitFor();
    await act(scene);
  };

const inPane = (pane, act) => async (scene) => {
  await open(scene.page, scene.demo, scene.demo.channels.release, { pane: pane(scene.demo) });
  await act(scene.page.locator('aside.pane'));
};

/** The context pane; `paneId` encodes its query. */
const inContext = (paneId, act = async () => undefined, sign = '.token-bar-used') =>
  inPane(
    (demo) => `context:${encodeURIComponent(paneId(demo))}`,
    async (pane) => {
      await pane.locator(sign).first().waitFor();
      await act(pane);
    },
  );

/** On phones the sidebar is a drawer. */
async function openSidebar({ page }) {
  const opener = page.getByRole('button', { name: 'Open the sidebar' });
  if (await opener.isVisible()) await opener.click();
  await page.locator('nav.sidebar').waitFor();
}

/** A dialog that a button of the sidebar opens. */
const sidebarDialog = (button) => ({
  show: inRelease(async (scene) => {
    await openSidebar(scene);
    await scene.page.locator('nav.sidebar').getByRole('button', { name: button, exact: true }).click();
    await scene.page.locator('dialog[open]').getByRole('button').first().waitFor();
  }),
});

/** The suggestion list of the composer. */
const suggestions = (text) => ({
  show: inRelease(async ({ page }) => {
    const field = page.locator('main.conversation .composer textarea');
    await field.clear();
    await field.pressSequentially(text);
    await page.getByRole('option').first().waitFor();
  }),
});

/** Focuses a message, so that its toolbar is shown on every screen. */
async function focusedMessage(page) {
  await blur(page);
  await page.keyboard.press('k');
  await page.locator('.message-toolbar').waitFor();
}

/** A question with an open answer form. */
const replying = (body) => async (scene) => {
  await open(scene.page, scene.demo, scene.demo.channels.decisions);
  const card = scene.page.locator('article.message', { hasText: body });
  await card.getByRole('button', { name: 'Reply…' }).click();
  await card.getByRole('form', { name: 'Answer' }).waitFor();
};

/** A view of the project that was open last. */
const overview = (address, selector) => async (scene) => {
  await open(scene.page, scene.demo, scene.demo.channels.general);
  await scene.page.goto(`/#/${address}`);
  await scene.page.locator(selector).first().waitFor();
};

const blur = (page) => page.evaluate(() => document.activeElement?.blur());

/** All views by name; `show` opens one. */
export const VIEWS = {
  conversation: { show: inRelease() },
  top: {
    show: async ({ page, demo }) => {
      await open(page, demo, demo.channels.release);
      await page.locator('main.conversation .message-list').hover();
      await page.mouse.wheel(0, -20_000);
      await page.getByText('Collect open reviews').waitFor();
    },
  },
  thread: {
    show: inPane(
      (demo) => `thread:${demo.thread.id}`,
      (pane) => pane.getByText('has it in memory').waitFor(),
    ),
  },
  details: {
    show: inPane(
      () => 'details',
      (pane) => pane.getByText('Ship 0.4').first().waitFor(),
    ),
  },
  member: {
    show: inPane(
      (demo) => `member:${demo.coder.id}`,
      (pane) => pane.getByText('Coder').first().waitFor(),
    ),
  },
  palette: {
    show: inRelease(async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette').waitFor();
    }),
  },
  sheet: {
    show: inRelease(async ({ page }) => {
      await blur(page);
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
    }),
  },
  drawer: { show: inRelease(openSidebar) },
  projects: {
    show: inRelease(async (scene) => {
      await openSidebar(scene);
      await scene.page.getByRole('button', { name: /switch project/ }).click();
      await scene.page.getByRole('menuitem', { name: 'Create a project' }).waitFor();
    }),
  },
  toolbar: { show: inRelease(({ page }) => focusedMessage(page)) },
  reactions: {
    show: inRelease(async ({ page }) => {
      await focusedMessage(page);
      await page.locator('.message-toolbar').getByRole('button', { name: 'React', exact: true }).press('Enter');
      await page.locator('.reaction-picker').waitFor();
    }),
  },
  'message-menu': {
    show: inRelease(async ({ page }) => {
      await focusedMessage(page);
      await page.locator('.message-toolbar').getByRole('button', { name: 'More' }).press('Enter');
      await page.getByRole('menuitem').first().waitFor();
    }),
  },
  mention: suggestions('@'),
  commands: suggestions('/'),
  'create-channel': sidebarDialog('Create a channel'),
  'start-dm': sidebarDialog('Start a direct message'),
  'add-agent': sidebarDialog('Add an agent'),
  'invite-people': sidebarDialog('Invite people'),
  markdown: { show: async ({ page, demo }) => open(page, demo, demo.channels.design) },
  lightbox: {
    show: async ({ page, demo }) => {
      await open(page, demo, demo.channels.design);
      await page.getByRole('button', { name: 'Open sidebar.png' }).click();
      await page.locator('.lightbox').waitFor();
    },
  },
  questions: {
    show: async ({ page, demo }) => {
      await open(page, demo, demo.channels.decisions);
      await page.locator('.question[data-state=open]').last().waitFor();
    },
  },
  'questions-ended': {
    show: async ({ page, demo }) => {
      await open(page, demo, demo.channels.decisions);
      await page.locator('main.conversation .message-list').hover();
      await page.mouse.wheel(0, -20_000);
      await page.locator('.question[data-state=answered]').first().waitFor();
      await page.locator('.question[data-state=expired]').first().waitFor();
    },
  },
  'question-reply': { show: replying('who signs the release') },
  'question-form': { show: replying('what do we ship') },
  'needs-you': {
    show: async ({ page }) => {
      await page.goto('/#/needs-you');
      await page.locator('.board-card').nth(2).waitFor();
    },
  },
  ask: {
    show: inRelease(async ({ page }) => {
      const composer = page.locator('main.conversation .composer');
      await composer.locator('textarea').fill('@Coder which base do we build on?');
      const wait = composer.getByRole('button', { name: 'Ask and wait' });
      if ((await wait.getAttribute('aria-pressed')) === 'false') await wait.click();
      for (const label of ['The old one', 'The new one']) {
        await composer.getByRole('button', { name: /Add options|Add another option/ }).click();
        await page.keyboard.type(label);
      }
      await composer.getByLabel('If nobody answers').waitFor();
    }),
  },
  ledger: {
    show: async ({ page, demo }) => {
      await open(page, demo, demo.channels.release, { message: demo.question });
      const row = page.locator(`article.message[data-id="${demo.question.id}"]`);
      await row.locator('.ledger-line').press('Enter');
      await row.getByRole('table').waitFor();
    },
  },
  inbox: { show: overview('inbox', '.inbox-link') },
  runs: {
    show: async (scene) => {
      await overview('runs', '.run')(scene);
      await scene.page.locator('.choice-option').getByText('All').click();
      await scene.page.getByText('Read the changelog').waitFor();
    },
  },
  run: {
    show: inPane(
      (demo) => `run:${demo.run.id}`,
      (pane) => pane.locator('.timeline-entry').nth(1).waitFor(),
    ),
  },
  task: {
    show: inPane(
      (demo) => `task:${demo.task.id}`,
      (pane) => pane.locator('.timeline-entry').nth(1).waitFor(),
    ),
  },
  context: { show: inContext((demo) => demo.coder.id) },
  'context-turn': { show: inContext((demo) => `${demo.coder.id}?form=native`) },
  'context-left-out': {
    show: inContext(
      (demo) => `${demo.coder.id}?budget=512&model=no-such-model`,
      async (pane) => {
        await pane.getByText(/^Left out/).click();
        // Items are created on demand, and their previews load when they are visible.
        await pane.locator('.context-fold .context-item').last().scrollIntoViewIfNeeded();
        await pane.locator('.context-preview').getByText(/\w/).first().waitFor();
      },
    ),
  },
  'context-refused': {
    expected: [/status of 422/],
    show: inContext(
      (demo) => `${demo.coder.id},${demo.channels.incidents.id}?model=a%09b`,
      (pane) => pane.locator('.context-refused').waitFor(),
      '.context-refused',
    ),
  },
  agent: { show: async (scene) => overview(`agents/${scene.demo.coder.id}`, '.run')(scene) },
  unread: { show: async ({ page, demo }) => open(page, demo, demo.channels.incidents) },
  dm: { show: async ({ page, demo }) => open(page, demo, demo.dm) },
  empty: { show: async ({ page, demo }) => open(page, demo, demo.channels.empty) },
  search: {
    show: async ({ page }) => {
      await page.goto('/#/search?q=epoch');
      await page.getByText('at attach').first().waitFor();
    },
  },
  'search-nothing': {
    show: async ({ page }) => {
      await page.goto('/#/search?q=zebra');
      await page.locator('main').getByText('No messages match').waitFor();
    },
  },
  settings: {
    show: async ({ page }) => {
      await page.goto('/#/settings');
      await page
        .getByRole('heading', { name: /settings/i })
        .first()
        .waitFor();
    },
  },
  lost: {
    show: async ({ page }) => {
      await page.goto('/#/p/prj_00000000000000000000000000/c/chn_00000000000000000000000000');
      await page.getByRole('heading', { name: /not found/ }).waitFor();
    },
    expected: [/status of 404/],
  },
  'api-documentation': {
    signedIn: false,
    show: async ({ page }) => {
      await page.goto('/docs');
      await page.locator('.opblock-summary-control').first().click();
      await page.locator('.opblock-body').first().waitFor();
    },
  },
  'error-page': {
    signedIn: false,
    show: async ({ page }) => {
      await page.goto('/errors/PARLOUR-C02');
      await page.getByRole('heading', { name: /PARLOUR-C02/ }).waitFor();
    },
    // The browser looks for an icon.
    expected: [/status of 404/],
  },
  'sign-in-link': {
    signedIn: false,
    show: async ({ page }) => {
      await page.goto('/sign-in');
      await page.getByLabel(/password/i).waitFor();
    },
  },
  'sign-in': {
    signedIn: false,
    show: async ({ page }) => {
      await page.goto('/');
      await page.getByLabel(/password/i).waitFor();
    },
  },
};
