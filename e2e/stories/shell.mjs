/** The workspace around the conversation: sidebar, pane, drawers, dialogs, projects. */
import assert from 'node:assert/strict';
import { addressOf } from '../harness/people.mjs';
import { story } from '../harness/story.mjs';

const sidebar = (page) => page.locator('nav.sidebar');
const row = (page, name) => sidebar(page).getByRole('link', { name, exact: true });
const currentDm = (page, name) =>
  sidebar(page)
    .getByRole('list', { name: 'Direct messages' })
    .getByRole('link', { name })
    .and(page.locator('[aria-current=page]'));
const menu = (page) => page.getByRole('button', { name: /Open the sidebar/ });
const dialog = (page, name) => page.getByRole('dialog', { name });
const members = (page, channel) => dialog(page, `Members of #${channel}`).getByRole('list', { name: 'Members' });

/** On phones the sidebar is behind a button. */
async function showSidebar(page) {
  await page.locator('.conversation-bar').waitFor();
  if (await menu(page).isVisible()) await menu(page).click();
  await sidebar(page).getByRole('button', { name: 'Channels' }).waitFor();
}

/** Returns how far the page scrolls horizontally. */
const sideways = (page) =>
  page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth) - innerWidth);

/** Waits until the focus is inside an element. */
const untilFocusIn = (page, selector) =>
  page.waitForFunction((within) => document.activeElement?.closest(within) !== null, selector);

story(
  '24. I create a private channel, add an agent and remove it',
  { on: ['desktop', 'phone'], expected: [/status of 409/] },
  async ({ page, open, people, project, visit, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const tobias = await people.person('Tobias');
    await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
    await open();
    await showSidebar(page);
    await sidebar(page).getByRole('button', { name: 'Create a channel' }).click();
    const form = dialog(page, 'Create a channel');
    await form.getByLabel('Name').fill('#quiet');
    await form.getByText('A name cannot contain').waitFor();
    assert.ok(await form.getByRole('button', { name: 'Create' }).isDisabled());
    await form.getByLabel('Name').fill('general');
    await form.getByLabel('Topic').fill('Not for all');
    await form.getByRole('switch', { name: 'Private' }).click();
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByText('PARLOUR-C02').waitFor();
    await expectAccessible('a refused channel');
    assert.equal(await form.getByLabel('Topic').inputValue(), 'Not for all');
    await form.getByLabel('Name').fill('quiet');
    await form.getByRole('button', { name: 'Create' }).click();

    await dialog(page, 'Members of #quiet').getByRole('combobox').fill('cod');
    await page.getByRole('option', { name: /Coder/ }).waitFor();
    await page.keyboard.press('Enter');
    await members(page, 'quiet').getByText('Coder').waitFor();
    await expectAccessible('the members of a private channel');
    const quiet = (await coder.get(`/projects/${project.id}/snapshot`)).channels.find(({ name }) => name === 'quiet');
    assert.equal(quiet.visibility, 'private');

    const other = await visit(tobias);
    await other.page.goto(`/#/p/${project.id}`);
    await showSidebar(other.page);
    await row(other.page, 'general').waitFor();
    assert.equal(await row(other.page, 'quiet').count(), 0);

    await members(page, 'quiet').getByRole('button', { name: 'Remove Coder' }).click();
    await dialog(page, 'Remove Coder from #quiet?').getByRole('button', { name: 'Remove' }).click();
    await members(page, 'quiet').getByText('Coder').waitFor({ state: 'detached' });
    await assert.rejects(coder.history(quiet), /404/);
    await dialog(page, 'Members of #quiet').getByRole('button', { name: 'Done' }).click();
    await page.locator('.conversation-bar').getByText('quiet').waitFor();
  },
);

story(
  'A renamed or archived channel changes in every sidebar',
  {},
  async ({ page, open, people, project, mara, visit }) => {
    const plans = await people.channel(project, 'plans', {}, mara);
    const other = await visit(people.admin);
    await open(plans, {}, other.page);
    await open(plans, { pane: 'details' });
    await page.getByRole('button', { name: 'Edit the channel' }).click();
    const form = dialog(page, 'Edit #plans');
    await form.getByLabel('Name').fill('old plans');
    await form.getByRole('button', { name: 'Save' }).click();
    await row(other.page, 'old plans').waitFor();
    await page.getByRole('button', { name: 'Edit the channel' }).click();
    await page.getByRole('button', { name: 'Archive…' }).click();
    await dialog(page, 'Archive #old plans?').getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('button', { name: 'Unarchive…' }).waitFor();
    for (const one of [page, other.page]) {
      await sidebar(one).getByRole('button', { name: 'Archived' }).waitFor();
      // The open channel stays visible in its collapsed section.
      const list = sidebar(one).getByRole('list', { name: 'Archived' });
      await list.getByRole('link', { name: 'old plans' }).waitFor();
    }
  },
);

story('I invite an agent by a working code, and read who can add people', {}, async ({ page, open, hub, project }) => {
  await open();
  await sidebar(page).getByRole('button', { name: 'Add an agent', exact: true }).click();
  const form = dialog(page, 'Add an agent');
  await form.getByRole('tab', { name: 'By invite' }).click();
  await form.getByRole('button', { name: 'Create invite' }).click();
  const lines = await form.getByLabel('To copy').inputValue();
  const [, code] = lines.match(/#(parlour_inv_\w+)' NAME --save/);
  const joined = await fetch(`${hub.url}/join`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: 'Scout' }),
  });
  assert.equal(joined.status, 201);
  await form.getByRole('button', { name: 'Done' }).click();
  await row(page, 'Scout, offline').waitFor();
  assert.equal((await joined.json()).project.id, project.id);

  await sidebar(page).getByRole('button', { name: 'Invite people' }).click();
  await dialog(page, /Invite people/)
    .getByRole('tab', { name: 'New person' })
    .click();
  await page.getByText('Only administrators can add people to the hub.').waitFor();
});

story(
  'An administrator invites a person, whose link opens the project',
  { expected: [/status of 401/] },
  async ({ people, project, visit }) => {
    const { page } = await visit(await people.person('Ada', { is_admin: true }));
    await page.goto(`/#/p/${project.id}`);
    await sidebar(page).getByRole('button', { name: 'Invite people' }).click();
    const form = dialog(page, /Invite people/);
    await form.getByRole('tab', { name: 'New person' }).click();
    await form.getByLabel('Name').fill(`Ines ${project.name.replace('Project ', '')}`);
    await form.getByRole('button', { name: 'Create link' }).click();
    const link = await form.getByLabel('To copy').inputValue();
    const stranger = await visit(undefined);
    await stranger.page.goto(link);
    await row(stranger.page, 'general').waitFor();
  },
);

story('I message an agent from its row, and several from the dialog', {}, async ({ page, open, people, project }) => {
  await people.agent(project, 'Coder');
  await people.agent(project, 'Reviewer');
  await open();
  await row(page, 'Coder, offline').click();
  const pane = page.getByRole('complementary', { name: 'Member' });
  await pane.getByRole('heading', { name: 'Coder' }).waitFor();
  await pane.getByRole('button', { name: 'Message' }).click();
  // The row comes with the event, which may be earlier than the reply that opens the conversation.
  await currentDm(page, 'Coder').waitFor();
  await sidebar(page).getByRole('button', { name: 'Start a direct message' }).click();
  const form = dialog(page, 'Start a direct message');
  for (const name of ['Coder', 'Reviewer']) {
    await form.getByRole('combobox').fill(name);
    await page.getByRole('option', { name: new RegExp(name) }).click();
  }
  await form.getByRole('button', { name: 'Start' }).click();
  await currentDm(page, 'Coder, Reviewer').waitFor();
});

story(
  'Shortcuts move between conversations and unread conversations',
  {},
  async ({ page, open, people, project, admin, general }) => {
    await people.channel(project, 'alpha');
    const zeta = await people.channel(project, 'zeta');
    await open(general);
    await admin.post(zeta, 'something new');
    await row(page, 'zeta, 1 unread').waitFor();
    const isOpen = (name) => page.locator('.conversation-bar').getByText(name, { exact: true }).waitFor();
    await page.keyboard.press('Alt+ArrowUp');
    await isOpen('alpha');
    await page.keyboard.press('Alt+ArrowDown');
    await isOpen('general');
    await page.keyboard.press('Alt+ArrowUp');
    await page.keyboard.press('Alt+Shift+ArrowDown');
    await isOpen('zeta');
  },
);

story('The pane can be resized by pointer and by keyboard, and keeps its width', {}, async ({ page, open }) => {
  await open(undefined, { pane: 'details' });
  const pane = page.getByRole('complementary', { name: 'Details' });
  const edge = page.getByRole('separator', { name: 'Width of the pane' });
  const width = async () => Math.round((await pane.boundingBox()).width);
  assert.equal(await width(), 336);
  const box = await edge.boundingBox();
  await page.mouse.move(box.x + box.width / 2, 400);
  await page.mouse.down();
  await page.mouse.move(box.x - 100, 400, { steps: 4 });
  await page.mouse.up();
  const dragged = await width();
  assert.ok(dragged > 420 && dragged < 460, `dragged to ${dragged}`);
  await edge.press('ArrowLeft');
  assert.equal(await width(), dragged + 16);
  await page.reload();
  await pane.waitFor();
  assert.equal(await width(), dragged + 16);
  await page.locator('body').press('Escape');
  await pane.waitFor({ state: 'detached' });
});

story('I switch projects and return to where I was', {}, async ({ page, open, people, project, mara, admin }) => {
  const release = await people.channel(project, 'release');
  const garden = await people.project(`Garden of ${project.name}`, [mara]);
  const beds = await people.channel(garden, 'beds');
  await open(release);
  await admin.post(beds, '@Mara look');
  const projects = sidebar(page).getByRole('button', { name: /switch project/ });
  await projects.click();
  await page.getByRole('menuitem', { name: /Garden.*1 mention/ }).click();
  await row(page, 'beds').or(row(page, 'beds, 1 unread, 1 mention')).first().waitFor();
  await projects.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('menuitem', { name: project.name, exact: true }).press('Enter');
  await page.locator('.conversation-bar').getByText('release', { exact: true }).waitFor();
  await people.leave(garden, mara);
});

story(
  'A wrong address says so and links to the start',
  { expected: [/status of 404/] },
  async ({ page, open, people, project, expectAccessible }) => {
    await open();
    await page.goto('/#/p/prj_01KA3V8Q2N7W4T9Y6B5C0D1E2F/c/chn_01KA3V8Q2N7W4T9Y6B5C0D1E2F');
    await page.getByRole('heading', { name: 'Project not found' }).waitFor();
    await expectAccessible('a project that is not there');
    await page.getByRole('link', { name: 'Go to your projects' }).click();
    await page.waitForURL((url) => url.hash.startsWith(`#/p/${project.id}/c/`));
    const empty = await people.project(`Empty ${project.name}`, [await people.person('Mara')]);
    await page.goto(`/#/p/${empty.id}`);
    await page.getByRole('button', { name: 'Create the first channel' }).waitFor();
    await expectAccessible('a project without channels');
    await people.leave(empty, await people.person('Mara'));
  },
);

story(
  '26. Phone: drawers take the focus and return it, and nothing scrolls sideways',
  { on: ['phone'] },
  async ({ page, open, people, project, mara, general, expectAccessible }) => {
    await people.channel(project, 'release');
    await mara.post(general, `A long word: ${'x'.repeat(300)}\n\n\`\`\`\n${'code '.repeat(80)}\n\`\`\``);
    await open();
    assert.equal(await sideways(page), 0);
    assert.ok(await sidebar(page).isHidden());

    await menu(page).click();
    await untilFocusIn(page, 'nav.sidebar');
    assert.ok(await page.locator('.shell-middle').evaluate((middle) => middle.inert));
    assert.equal(await sideways(page), 0);
    await expectAccessible('the open sidebar');
    await page.keyboard.press('Escape');
    await untilFocusIn(page, '.conversation-bar');
    await sidebar(page).waitFor({ state: 'hidden' });
    await menu(page).click();
    await page.touchscreen.tap(380, 600);
    await sidebar(page).waitFor({ state: 'hidden' });
    await menu(page).click();
    await row(page, 'release').click();
    await sidebar(page).waitFor({ state: 'hidden' });
    await page.locator('.conversation-bar').getByText('release', { exact: true }).waitFor();

    await page.goto(addressOf(project, general));
    await page
      .getByRole('button', { name: /pane|details/i })
      .first()
      .click();
    const pane = page.getByRole('complementary', { name: 'Details' });
    await pane.waitFor();
    await untilFocusIn(page, 'aside.pane');
    const box = await pane.boundingBox();
    assert.deepEqual([box.x, box.width], [0, 390]);
    assert.equal(await sideways(page), 0);
    await expectAccessible('the open pane');
    await page.goBack();
    await pane.waitFor({ state: 'detached' });
    await page.goForward();
    await pane.getByRole('button', { name: 'Back to the conversation' }).click();
    await pane.waitFor({ state: 'detached' });
    await page.goBack();
    await untilFocusIn(page, 'aside.pane');
    await page.keyboard.press('Escape');
    await pane.waitFor({ state: 'detached' });
  },
);

story(
  '26. Phone: everything that can be tapped is large enough',
  { on: ['phone'] },
  async ({ page, open, people, project, mara, general }) => {
    await people.agent(project, 'Coder');
    await mara.post(general, 'Hello');
    await open();
    assert.deepEqual(await smallTargets(page), []);
    await menu(page).click();
    await untilFocusIn(page, 'nav.sidebar');
    assert.deepEqual(await smallTargets(page), []);
    await sidebar(page).getByRole('button', { name: 'Create a channel' }).click();
    await dialog(page, 'Create a channel').waitFor();
    assert.deepEqual(await smallTargets(page), []);
    await open(general, { pane: 'details' });
    await page.getByRole('tab', { name: 'Members' }).click();
    assert.deepEqual(await smallTargets(page), []);
  },
);

/** Returns tap targets smaller than 24 px, except links in texts; a label counts as part of its field. */
function smallTargets(page) {
  return page.evaluate(() => {
    const all = document.querySelectorAll(
      'a[href], button, input, textarea, select, summary, [role=tab], [tabindex="0"]',
    );
    return [...all]
      .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((one) => !one.closest('[inert], .markdown, .message-list') && !one.matches('.skip-link'))
      .map((one) => ({ one, box: (one.closest('label') ?? one).getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
      .map(({ one, box }) => `${one.className || one.tagName} ${one.textContent.trim()} ${box.width} × ${box.height}`);
  });
}

story(
  '26. Phone: the notch covers nothing, and the keyboard pushes the page up',
  { on: ['phone'] },
  async ({ page, open, context, mara, general }) => {
    await mara.postMany(
      general,
      Array.from({ length: 30 }, (_, index) => `message ${index}`),
    );
    const newest = await mara.post(general, 'the newest');
    const session = await context.newCDPSession(page);
    const insets = { top: 47, bottom: 34, left: 0, right: 0 };
    await session.send('Emulation.setSafeAreaInsetsOverride', { insets });
    await open();
    const composer = page.locator('.composer');
    const bottomOf = async (locator) => {
      const { y, height } = await locator.boundingBox();
      return y + height;
    };
    assert.ok((await page.locator('.conversation-bar').boundingBox()).y >= insets.top);
    assert.ok((await bottomOf(composer)) <= 844 - insets.bottom);
    await menu(page).click();
    await untilFocusIn(page, 'nav.sidebar');
    assert.ok(
      (
        await sidebar(page)
          .getByRole('button', { name: /switch project/ })
          .boundingBox()
      ).y >= insets.top,
    );
    assert.ok((await bottomOf(sidebar(page).getByRole('link', { name: 'Settings' }))) <= 844 - insets.bottom);
    await page.keyboard.press('Escape');

    // The page asks browsers to resize it for the on-screen keyboard.
    const viewport = await page.locator('meta[name=viewport]').getAttribute('content');
    assert.match(viewport, /interactive-widget=resizes-content/);
    await page.locator('.composer textarea').tap();
    await page.setViewportSize({ width: 390, height: 460 });
    await page.waitForFunction(() => document.querySelector('.composer').getBoundingClientRect().bottom <= innerHeight);
    const last = page.locator(`article.message[data-id="${newest.id}"]`);
    await page.waitForFunction((id) => {
      const message = document.querySelector(`article.message[data-id="${id}"]`);
      const composer = document.querySelector('.composer');
      return message && message.getBoundingClientRect().bottom <= composer.getBoundingClientRect().top + 1;
    }, newest.id);
    assert.ok(await last.isVisible());
    assert.equal(await sideways(page), 0);
  },
);
