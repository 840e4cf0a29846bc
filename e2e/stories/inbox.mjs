/** The inbox of a person. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const lines = (page) => page.locator('.inbox-link');
const texts = (page) => page.locator('.inbox-link .hit-snippet').allTextContents();
const untilTexts = (page, wanted) =>
  page.waitForFunction(
    (all) => [...document.querySelectorAll('.inbox-link .hit-snippet')].map((one) => one.textContent).join('|') === all,
    wanted.join('|'),
  );

/** Posts messages to Mara in two channels and a DM. */
async function fill({ people, project, general, mara }) {
  const tobias = await people.person('Tobias');
  await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
  const coder = await people.agent(project, 'Coder');
  const release = await people.channel(project, 'release');
  await tobias.post(general, 'nothing of note');
  await tobias.post(general, '@Mara a **mention**');
  await tobias.post(release, 'it burns', { importance: 'critical' });
  await tobias.post(release, 'it smells', { importance: 'high' });
  await tobias.post(release, 'all well');
  return { tobias, coder, release, mara };
}

story(
  'The inbox lists questions, mentions and important messages by conversation until I read them',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { tobias, coder, release } = await fill(scene);
    await open(general);
    await page.goto('/#/inbox');
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await lines(page).getByText('it burns').waitFor();
    await coder.post(release, '@Mara shall I go on?', { blocking: true });
    await page.waitForFunction(() => document.querySelector('.inbox-link')?.textContent.includes('needs your answer'));
    const shown = await texts(page);
    assert.deepEqual(shown.slice(0, 3), ['@Mara shall I go on?', 'it burns', 'it smells']);
    assert.ok(shown.every((text) => text !== 'all well' && text !== 'nothing of note'));
    await expectAccessible('the inbox');

    await tobias.post(general, '@Mara once more');
    await lines(page).getByText('once more').waitFor();
    await page.getByRole('button', { name: 'Mark as read: #release' }).click();
    await page.waitForFunction(() => !document.querySelector('.view-column')?.textContent.includes('it burns'));
    await lines(page).getByText('once more').click();
    await page.locator('article.message').getByText('once more').waitFor();
    await page.goBack();
    await page.getByText('You are all caught up.').waitFor();
    await expectAccessible('an empty inbox');
  },
);

story('I read the inbox by keyboard alone', {}, async (scene) => {
  const { page, open } = scene;
  const { tobias, release } = await fill(scene);
  await open(release);
  await page.goto('/#/needs-you');
  await tobias.post(release, '@Mara from here on');
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await lines(page).getByText('from here on').waitFor();
  await page.keyboard.press('j');
  const focused = () => page.evaluate(() => document.activeElement?.querySelector('.hit-snippet')?.textContent);
  const first = await focused();
  await page.keyboard.press('j');
  const second = await focused();
  assert.notEqual(first, second);
  await page.keyboard.press('k');
  assert.equal(await focused(), first);
  const before = await lines(page).count();
  await page.keyboard.press('e');
  await page.waitForFunction((count) => document.querySelectorAll('.inbox-link').length < count, before);
  assert.ok(await focused(), 'the keyboard goes on to the next line');
  await page.keyboard.press('Enter');
  await page.locator('main.conversation').waitFor();
  await tobias.post(release, '@Mara and again');
  await page.goBack();
  await lines(page).getByText('and again').waitFor();
  await page.keyboard.press('Shift+E');
  await page.getByText('You are all caught up.').waitFor();
});

story('Reading in one tab empties the inbox in the other, and its badge follows', {}, async (scene) => {
  const { page, context, open, general } = scene;
  const { tobias } = await fill(scene);
  const other = await context.newPage();
  await open(general, {}, other);
  await open(general);
  await page.goto('/#/inbox');
  await lines(page).getByText('it burns').waitFor();
  await other.goto('/#/settings');
  await other
    .getByRole('heading', { name: /settings/i })
    .first()
    .waitFor();
  await tobias.post(general, '@Mara for both of you');
  await page.locator('nav.sidebar').getByRole('link', { name: 'Inbox, 1 to you' }).waitFor();
  await lines(page).getByText('for both of you').waitFor();
  await open(general, {}, other);
  await other.getByText('for both of you').waitFor();
  await untilTexts(page, ['it burns', 'it smells']);
  await page.locator('nav.sidebar').getByRole('link', { name: 'Inbox', exact: true }).waitFor();
});
