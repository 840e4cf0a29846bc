/** Needs you: open questions of all projects. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const OPTIONS = {
  options: [
    { id: 'yes', label: 'Yes' },
    { id: 'no', label: 'No' },
  ],
};
const cards = (page) => page.locator('.board-card');
const entry = (page) => page.locator('nav.sidebar').getByRole('link', { name: /^Needs you/ });
const focusedCard = (page) => page.evaluate(() => document.activeElement?.closest('.board-card')?.textContent ?? '');

let seconds = 0;

/** Two projects that ask the same person, and one question that expires first. */
async function askInTwoProjects({ people, mara, project, general }) {
  const coder = await people.agent(project, 'Coder');
  seconds += 1;
  const second = await people.project(`Second ${seconds}`, [mara]);
  const channel = await people.channel(second, 'elsewhere');
  const scout = await people.agent(second, 'Scout');
  const run = await coder.startRun(general);
  await coder.ask(general, '@Mara may I merge it?', { ...OPTIONS, expires_in_seconds: 3_000, run_id: run.id });
  await scout.ask(channel, '@Mara which paper first?', { expires_in_seconds: 900 });
  return { coder, scout, second, channel, run };
}

story(
  '19, 27. By keyboard alone I open Needs you, answer in two projects, and my run continues',
  { on: ['desktop'] },
  async (scene) => {
    const { page, open, people, mara, project, general, expectAccessible } = scene;
    const { second, run, coder } = await askInTwoProjects({ people, mara, project, general });
    await open();
    await page.locator('main.conversation .composer textarea').waitFor();
    await page.getByRole('link', { name: 'Needs you, 2 questions' }).waitFor();
    await page.waitForFunction(() => document.title.startsWith('('));
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'Needs you' }).waitFor();
    await cards(page).nth(1).waitFor();
    assert.match(await cards(page).first().textContent(), /which paper first/);
    await cards(page)
      .first()
      .getByText(/Second \d+ · #elsewhere/)
      .waitFor();
    await cards(page).nth(1).getByText('pauses Coder').waitFor();
    await expectAccessible('the board');

    await page.keyboard.press('j');
    assert.match(await focusedCard(page), /which paper first/);
    await page.keyboard.press('r');
    await page.keyboard.type('The second one.');
    await page.keyboard.press('Enter');
    await cards(page).nth(1).waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.matches('.board-card'));
    assert.match(await focusedCard(page), /may I merge/);
    await page.keyboard.press('1');
    await page.getByText('No open questions.').waitFor();
    await page.getByRole('link', { name: 'Needs you', exact: true }).waitFor();
    await page.waitForFunction(() => !document.title.startsWith('('));
    assert.equal((await run.now()).state, 'running');
    await expectAccessible('an empty board');

    // New questions appear without a reload and can be ignored by key.
    await coder.ask(general, '@Mara and deploy it?', OPTIONS);
    await cards(page).first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('i');
    await page.getByText('No open questions.').waitFor();
    await people.leave(second, mara);
  },
);

story(
  'In Needs you I edit an offered answer by key and by click, and my text stays',
  { on: ['desktop', 'phone'] },
  async ({ page, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const shown = (question) => cards(page).filter({ hasText: question });
    const first = await coder.ask(general, '@Mara keep the draft?', {
      options: [
        { id: 'keep', label: 'Keep it' },
        { id: 'drop', label: 'Drop it' },
      ],
      expires_in_seconds: 900,
    });
    const second = await coder.ask(general, '@Mara and the branch?', { ...OPTIONS, expires_in_seconds: 3_000 });
    await page.goto('/#/needs-you');
    await cards(page).nth(1).waitFor();

    await page.keyboard.press('j');
    await page.keyboard.press('e');
    const field = shown('keep the draft').getByRole('textbox');
    await page.waitForFunction(() => document.activeElement?.matches('.board-card textarea'));
    assert.equal(await field.inputValue(), 'Keep it');
    await expectAccessible('an answer that begins with what is offered');
    await field.fill('Keep it for a week');
    await field.press('Escape');
    await shown('keep the draft').getByRole('button', { name: 'Edit…' }).click();
    assert.equal(await field.inputValue(), 'Keep it for a week', 'what was typed is not replaced');
    await field.press('Enter');
    await shown('keep the draft').waitFor({ state: 'detached' });

    await shown('and the branch').getByRole('button', { name: 'Edit…' }).click();
    const other = shown('and the branch').getByRole('textbox');
    assert.equal(await other.inputValue(), 'Yes');
    await other.press('Enter');
    await page.getByText('No open questions.').waitFor();

    const answers = await Promise.all([first, second].map((asked) => coder.get(`/messages/${asked.id}`)));
    const given = answers.map(({ question }) => [question.state, question.answer.option ?? question.answer.text]);
    assert.deepEqual(given, [
      ['answered', 'Keep it for a week'],
      ['answered', 'yes'],
    ]);
  },
);

story(
  'Needs you links to the conversation of a question, and an answer by somebody else removes it',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, people, mara, project, general } = scene;
    const { scout, second, channel } = await askInTwoProjects({ people, mara, project, general });
    const tobias = await people.person('Tobias');
    await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
    await page.goto('/#/needs-you');
    await cards(page).nth(1).waitFor();
    const { items } = await mara.get('/questions');
    const merge = items.find((one) => one.message.body.includes('merge'));
    await tobias.answer(merge.message, { option: 'yes' });
    await cards(page).nth(1).waitFor({ state: 'detached' });
    await cards(page)
      .first()
      .getByRole('link', { name: /Second \d+ · #elsewhere/ })
      .click();
    await page.locator('article.message', { hasText: 'which paper first?' }).waitFor();
    assert.match(page.url(), new RegExp(channel.id));
    await scout.post(channel, 'I wait.');
    await page.locator('article.message', { hasText: 'I wait.' }).waitFor();
    await people.leave(second, mara);
  },
);

story(
  'Notifications need my permission and leave out questions on the screen',
  { on: ['desktop'] },
  async ({ page, context, hub, open, people, project, general }) => {
    const coder = await people.agent(project, 'Coder');
    const quiet = await people.channel(project, 'quiet');
    // A headless browser shows no notifications, so they are recorded instead.
    await page.addInitScript(() => {
      window.shown = [];
      window.Notification = class {
        static permission = localStorage.getItem('allowed') ?? 'default';
        static async requestPermission() {
          localStorage.setItem('allowed', 'granted');
          window.Notification.permission = 'granted';
          return 'granted';
        }
        constructor(title, options) {
          window.shown.push({ title, ...options, notification: this });
        }
        close() {}
      };
    });
    await context.grantPermissions([], { origin: hub.url });
    await page.goto('/#/settings');
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByRole('switch', { name: 'Notify me of questions' }).waitFor();
    assert.ok(await page.getByRole('switch', { name: 'Notify me of questions' }).isChecked());
    await open();
    await page.getByRole('link', { name: 'Needs you', exact: true }).waitFor();
    await page.bringToFront();
    await coder.ask(general, '@Mara do you see this?', OPTIONS);
    await page.getByRole('link', { name: 'Needs you, 1 question' }).waitFor();
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    await coder.ask(quiet, `@Mara and this?\n\nThe key is ${key}, and ines@example.com has it.`, OPTIONS);
    await page.getByRole('link', { name: 'Needs you, 2 questions' }).waitFor();
    await page.waitForFunction(() => window.shown.length > 0);
    const shown = await page.evaluate(() => window.shown.map(({ title, body }) => ({ title, body })));
    // Others can read a lock screen.
    const body = '@Mara and this? The key is [github-token 1], and [mail 1] has it.';
    assert.deepEqual(shown, [{ title: 'Coder asks you in #quiet', body }]);
    await page.evaluate(() => window.shown[0].notification.onclick());
    await page.locator('article.message', { hasText: 'and this?' }).waitFor();
  },
);

story(
  'On a phone Needs you is in the sidebar drawer, and nothing scrolls sideways',
  { on: ['phone'] },
  async ({ page, open, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const long = {
      id: 'long',
      label: 'Keep everything as it is until the second machine is back',
      description: 'x'.repeat(200),
    };
    await coder.ask(general, '@Mara a very long question? '.repeat(20), {
      options: [long, ...OPTIONS.options],
      default: 'long',
    });
    await open();
    await page.getByRole('button', { name: /Open the sidebar/ }).click();
    await entry(page).click();
    await cards(page).first().waitFor();
    await expectAccessible('the board on a phone');
    const sideways = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(sideways <= 0, `${sideways} px sideways`);
    await cards(page).first().getByRole('button', { name: 'Yes' }).click();
    await page.getByText('No open questions.').waitFor();
  },
);
