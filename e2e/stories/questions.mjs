/** Questions in conversations: answering, asking and results. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const OPTIONS = {
  options: [
    { id: 'keep', label: 'Keep in memory' },
    { id: 'column', label: 'Add a column', description: 'Costs a migration.' },
  ],
  default: 'keep',
};

const card = (page, text) => page.locator('article.message', { hasText: text });
const composer = (page) => page.locator('main.conversation .composer');
const blur = (page) => page.evaluate(() => document.activeElement?.blur());
const until = async (isTrue, what) => {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never: ${what}`);
};

story(
  '19. An agent asks in a conversation: I answer by key, its run continues, and the other tab shows who answered',
  { on: ['desktop', 'phone'] },
  async ({ page, context, open, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const run = await coder.startRun(general, { label: 'Move the epoch' });
    await coder.ask(general, '@Mara a column, or memory?', { ...OPTIONS, expires_in_seconds: 700, run_id: run.id });
    assert.equal((await run.now()).state, 'paused');

    await open();
    const question = card(page, 'a column, or memory?');
    await question.getByText('Coder asks you, and waits').waitFor();
    await question.getByText('default applies in 11 min').waitFor();
    await question.getByText('pauses Coder').waitFor();
    const other = await context.newPage();
    await open(general, {}, other);
    await card(other, 'a column, or memory?')
      .getByRole('button', { name: /Add a column/ })
      .waitFor();
    await expectAccessible('an open question');

    await page.bringToFront();
    await composer(page).locator('textarea').waitFor();
    await blur(page);
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.activeElement?.matches('article.message'));
    await page.keyboard.press('2');
    await question.getByText('You answered', { exact: true }).waitFor();
    await question.locator('.question-answer', { hasText: 'Add a column' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.matches('article.message'));
    await card(other, 'a column, or memory?').getByText('You answered', { exact: true }).waitFor();
    assert.equal(await question.getByRole('button', { name: 'Reply…' }).count(), 0);
    await until(async () => (await run.now()).state === 'running', 'the run resumes');
    await expectAccessible('an answered question');
  },
);

story(
  '20. A question expires: its default is applied and shown, and a late answer is refused without losing the text',
  { on: ['desktop', 'phone'], expected: [/status of 409/] },
  async ({ page, open, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const run = await coder.startRun(general);
    await open();
    await composer(page).locator('textarea').waitFor();
    await coder.ask(general, '@Mara a column, or memory?', { ...OPTIONS, expires_in_seconds: 4, run_id: run.id });
    const question = card(page, 'a column, or memory?');
    await question.getByRole('button', { name: 'Reply…' }).click();
    // The card does not get the event, as with a slow connection.
    await page.route('**/answer', async (route) => {
      await until(async () => (await run.now()).state === 'running', 'the default lets the run go on');
      await route.continue();
    });
    await question.getByRole('textbox', { name: 'Your answer' }).fill('A column, since it survives a restart.');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: /Too late\. .*default is the answer/ }).waitFor();
    await question.getByText('Default answer used').waitFor();
    await question.getByText('Keep in memory').waitFor();
    await question.getByText('Your text was not sent:').waitFor();
    await expectAccessible('a question that has answered itself');
    await question.getByRole('button', { name: 'Move it to a reply' }).click();
    assert.equal(await composer(page).locator('textarea').inputValue(), 'A column, since it survives a restart.');
    await composer(page).locator('textarea').press('Enter');
    await page.locator('article.message[data-mine]', { hasText: 'survives a restart' }).waitFor();
  },
);

story(
  'I answer with free text, and my text stays when it does not match the schema',
  { on: ['desktop', 'phone'], expected: [/status of 4\d\d/] },
  async ({ page, open, people, project, general }) => {
    const coder = await people.agent(project, 'Coder');
    const schema = {
      type: 'object',
      required: ['version'],
      properties: { version: { type: 'string', pattern: '^[0-9.]+$' }, count: { type: 'integer', minimum: 1 } },
    };
    const asked = await coder.ask(general, '@Mara what do we ship?', { schema });
    await open();
    const question = card(page, 'what do we ship?');
    await question.getByRole('button', { name: 'Reply…' }).click();
    await question.getByLabel('version').fill('soon');
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.getByText('PARLOUR-M04').waitFor();
    assert.equal(await question.getByLabel('version').inputValue(), 'soon');
    await question.getByLabel('version').fill('0.4');
    await question.getByLabel('count').fill('3');
    await question.getByRole('button', { name: 'Answer' }).click();
    await question.getByText('You answered', { exact: true }).waitFor();
    const { question: now } = await coder.get(`/messages/${asked.id}`);
    assert.deepEqual(now.answer.value, { version: '0.4', count: 3 });
  },
);

story(
  'Ignored and withdrawn questions say so',
  { on: ['desktop'] },
  async ({ page, open, people, project, general }) => {
    const coder = await people.agent(project, 'Coder');
    await open();
    await coder.ask(general, '@Mara may I delete it?');
    const ignored = card(page, 'may I delete it?');
    await ignored.getByRole('button', { name: 'Ignore' }).click();
    await ignored.getByText('You ignored it.').waitFor();
    const second = await coder.ask(general, '@Mara never mind?');
    await card(page, 'never mind?').getByRole('button', { name: 'Reply…' }).waitFor();
    await coder.withdraw(second);
    await card(page, 'never mind?').getByText('Coder withdrew it').waitFor();
  },
);

story(
  'I ask an agent with options; it answers by a reply, and I withdraw another question',
  { on: ['desktop', 'phone'], expected: [/status of 4\d\d/] },
  async ({ page, open, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    await open();
    const field = composer(page).locator('textarea');
    await field.waitFor();
    await composer(page).getByRole('button', { name: 'Ask and wait' }).click();
    await field.fill('which base?');
    await composer(page).getByText('Mention who should answer').waitFor();
    await composer(page).getByRole('button', { name: 'Send' }).click();
    await page.getByText('PARLOUR-M05').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await composer(page).getByRole('button', { name: 'Ask and wait', pressed: true }).waitFor();

    await field.fill('@Coder which base?');
    await composer(page).getByText('Asks Coder, and waits.').waitFor();
    for (const label of ['The old one', 'The new one']) {
      await composer(page)
        .getByRole('button', { name: /Add options|Add another option/ })
        .click();
      await page.keyboard.type(label);
    }
    await composer(page).getByLabel('Expires in').selectOption('10 minutes');
    await composer(page).getByLabel('If nobody answers').selectOption('The old one');
    await expectAccessible('a question that is written');
    await field.press('Enter');
    const asked = card(page, 'which base?');
    await asked.getByText('You ask Coder, and wait').waitFor();
    await asked.getByText('default applies in 9 min').waitFor();
    const [message] = (await coder.history(general)).filter((one) => one.question);
    assert.deepEqual(message.question.options, [
      { id: 'the-old-one', label: 'The old one' },
      { id: 'the-new-one', label: 'The new one' },
    ]);
    await coder.post(general, 'The new one', { reply_to: message.id });
    await asked.getByText('Coder answered', { exact: true }).waitFor();

    await field.fill('/ask @Coder and when?');
    await field.press('Enter');
    await composer(page).getByRole('textbox', { name: 'Option 1' }).waitFor();
    assert.equal(await field.inputValue(), '@Coder and when?');
    await field.press('Enter');
    const second = card(page, 'and when?');
    await second.getByRole('button', { name: 'Withdraw' }).click();
    await second.getByText('You withdrew it').waitFor();
  },
);
