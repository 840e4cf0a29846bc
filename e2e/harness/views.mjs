/** How to reach every view and state of the page, for pictures and for checks of all of them. */
import { addressOf } from './people.mjs';

/** Opens a conversation and waits until something of it is there. */
async function open(page, demo, conversation, place) {
  await page.goto(addressOf(demo.project, conversation, place));
  await page.locator('main.conversation').waitFor();
  await page.locator('article.message, main.conversation [role=status], main.conversation h2').first().waitFor();
}

const release =
  (place) =>
  async ({ page, demo }) => {
    await open(page, demo, demo.channels.release, typeof place === 'function' ? place(demo) : place);
    await page.locator('article.message[data-state=streaming]').waitFor();
  };

const inRelease = (act) => async (scene) => {
  await release()(scene);
  await act(scene);
};

/** By name; `show` brings the page there. */
export const VIEWS = {
  conversation: { show: release() },
  top: {
    show: inRelease(async ({ page }) => {
      await page.locator('.message-list').hover();
      await page.mouse.wheel(0, -20_000);
      await page.getByText('Collect open reviews').waitFor();
    }),
  },
  thread: {
    show: async (scene) => {
      await release((demo) => ({ pane: `thread:${demo.thread.id}` }))(scene);
      await scene.page.locator('aside.pane').getByText('the log has it in memory').waitFor();
    },
  },
  details: {
    show: async (scene) => {
      await release({ pane: 'details' })(scene);
      await scene.page.locator('aside.pane').waitFor();
    },
  },
  member: {
    show: async (scene) => {
      await release((demo) => ({ pane: `member:${demo.coder.id}` }))(scene);
      await scene.page.locator('aside.pane').waitFor();
    },
  },
  palette: {
    show: inRelease(async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.locator('.palette').waitFor();
    }),
  },
  sheet: {
    show: inRelease(async ({ page }) => {
      await page.locator('body').press('?');
      await page.locator('dialog[open]').waitFor();
    }),
  },
  drawer: {
    show: async (scene) => {
      await release()(scene);
      if (scene.screen === 'phone')
        await scene.page
          .getByRole('button', { name: /sidebar|menu|conversations/i })
          .first()
          .click();
      await scene.page.locator('nav.sidebar').waitFor();
    },
  },
  markdown: { show: async ({ page, demo }) => open(page, demo, demo.channels.design) },
  unread: { show: async ({ page, demo }) => open(page, demo, demo.channels.incidents) },
  dm: { show: async ({ page, demo }) => open(page, demo, demo.dm) },
  empty: { show: async ({ page, demo }) => open(page, demo, demo.channels.empty) },
  search: {
    show: async ({ page }) => {
      await page.goto('/#/search?q=epoch');
      await page.getByText('at attach').first().waitFor();
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
  'sign-in': {
    signedIn: false,
    show: async ({ page }) => {
      await page.goto('/');
      await page.getByLabel(/password/i).waitFor();
    },
  },
};
