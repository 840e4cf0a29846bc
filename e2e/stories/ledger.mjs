/** The delivery line below messages. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const row = (page, id) => page.locator(`article.message[data-id="${id}"]`);
const line = (page, id) => row(page, id).locator('.ledger-line');
/** Opens the menu of a message by pointer or, on phones, by its button. */
async function openMenu(page, id, screen) {
  if (screen === 'phone') await row(page, id).getByRole('button', { name: 'Actions' }).click();
  else await row(page, id).hover();
  await row(page, id).getByRole('button', { name: 'More' }).click();
}

const report = (agent, message, step) => agent.send('/deliveries', { message_ids: [message.id], ...step });
const nameOf = (run) => `run ${run.id.slice(-4).toLowerCase()}`;

story(
  '21. The delivery line goes from stored to answered; a failure shows its reason',
  { on: ['desktop', 'phone'] },
  async ({ page, open, people, project, general, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    await open(general);
    const field = page.locator('main.conversation .composer textarea');
    await field.fill('@Coder where is the epoch read?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Stored for Coder').waitFor();
    const question = (await coder.history(general)).at(-1);
    const before = await row(page, question.id).boundingBox();

    await report(coder, question, { state: 'queued' });
    await line(page, question.id).getByText('Coder: queued', { exact: true }).waitFor();
    const run = await coder.send('/runs', { message_id: question.id });
    await line(page, question.id).getByText('Coder: queued behind another answer').waitFor();
    await report(coder, question, { state: 'injected', delivered_via: 'prompt', run_id: run.id });
    await line(page, question.id)
      .getByText(`Given to Coder in ${nameOf(run)}`)
      .waitFor();
    await report(coder, question, { state: 'seen', run_id: run.id });
    await line(page, question.id)
      .getByText(`Coder saw it in ${nameOf(run)} · `)
      .waitFor();
    const answer = await coder.post(general, 'Once, at attach.', { reply_to: question.id });
    await line(page, question.id).getByText('Coder answered · ').waitFor();
    assert.equal((await row(page, question.id).boundingBox()).height, before.height, 'the row has kept its height');
    assert.equal(await line(page, question.id).locator('[data-mark=done]').count(), 5);

    await line(page, question.id).press('Enter');
    const table = row(page, question.id).getByRole('table');
    await table.getByRole('row', { name: /Given to the model .* in its prompt/ }).waitFor();
    await expectAccessible('an open ledger');
    await table.getByRole('button', { name: 'Show the answer' }).click();
    await page.waitForFunction((id) => location.hash.endsWith(`/m/${id}`), answer.id);
    await row(page, answer.id)
      .getByRole('link', { name: nameOf(run) })
      .waitFor();
    await table.getByRole('link', { name: nameOf(run) }).click();
    await page
      .locator('aside.pane')
      .getByRole('heading', { name: new RegExp(nameOf(run), 'i') })
      .waitFor();
    await page
      .locator('aside.pane')
      .getByRole('button', { name: /Close the pane|Back to the conversation/ })
      .filter({ visible: true })
      .click();

    await field.fill('@Coder and where is it written?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Stored for Coder').waitFor();
    const second = (await coder.history(general)).at(-1);
    await report(coder, second, { state: 'failed', why: 'its process ended while it read' });
    await line(page, second.id).getByText('Failed for Coder: its process ended while it read').waitFor();
    assert.equal(await line(page, second.id).locator('[data-mark=broken]').count(), 1);
    await page.reload();
    await line(page, second.id).getByText('Failed for Coder: its process ended while it read').waitFor();
    await line(page, question.id).getByText('Coder answered · ').waitFor();
  },
);

story(
  'A reply in the thread of a question answers it, in the delivery line too',
  { on: ['desktop', 'phone'] },
  async ({ page, open, people, project, general, mara }) => {
    const coder = await people.agent(project, 'Coder');
    const run = await coder.startRun(general);
    const question = await mara.ask(general, '@Coder which branch?', {});
    await open(general);
    await line(page, question.id).getByText('Stored for Coder').waitFor();
    assert.equal((await run.checkpoint()).verdict, 'pause');
    await report(coder, question, { state: 'injected', delivered_via: 'checkpoint', run_id: run.id });
    await line(page, question.id)
      .getByText(`Given to Coder in ${nameOf(run)}`)
      .waitFor();

    // The very call that the injection recommends.
    const thread = await coder.thread(question);
    const answer = await coder.post(thread, 'main');
    await line(page, question.id).getByText('Coder answered · ').waitFor();
    assert.equal((await coder.get(`/messages/${question.id}`)).question.state, 'answered');
    assert.equal((await run.now()).state, 'running', 'it resumes');
    const { items } = await coder.get(`/agents/${coder.id}/inbox`);
    assert.ok(!items.some((one) => one.message.id === question.id), 'what is answered is not unread');

    await line(page, question.id).press('Enter');
    const table = row(page, question.id).getByRole('table');
    await table.getByRole('button', { name: 'Show the answer' }).click();
    const pane = page.locator('aside.pane');
    await row(pane, answer.id).waitFor();
    await page.reload();
    await line(pane, question.id).getByText('Coder answered · ').waitFor();
  },
);

story(
  "Deliveries of somebody else's message open on demand and show who has read it",
  { on: ['desktop', 'phone'] },
  async ({ page, open, people, project, general, mara }) => {
    const tobias = await people.person('Tobias');
    await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
    const ines = await people.person('Ines');
    await people.admin.send(`/projects/${project.id}/people`, { person_id: ines.id });
    const mine = await mara.post(general, '@Tobias please have a look');
    const other = await tobias.post(general, '@Ines and you too');
    await open(general);
    const screen = (await page.getByRole('button', { name: /Open the sidebar/ }).isVisible()) ? 'phone' : 'desktop';
    await line(page, mine.id)
      .getByText('Tobias read it')
      .or(line(page, mine.id).getByText('Tobias has not read it yet'))
      .waitFor();
    assert.equal(await line(page, other.id).count(), 0);
    await openMenu(page, other.id, screen);
    await page.getByRole('menuitem', { name: 'Deliveries' }).click();
    await line(page, other.id).getByText('Ines has not read it yet').waitFor();
    await ines.read(other);
    // Reads by people cause no event: they are visible after loading again.
    await line(page, other.id).click();
    await openMenu(page, other.id, screen);
    await page.getByRole('menuitem', { name: 'Deliveries' }).click();
    await line(page, other.id).getByText('Ines read it').waitFor();
    const rows = row(page, other.id).getByRole('table').getByRole('row');
    assert.deepEqual(
      await rows.getByRole('rowheader').allTextContents(),
      ['Stored', 'Seen', 'Answered'],
      'people are told nothing of queues and prompts',
    );
    await rows.filter({ hasText: 'Seen' }).getByRole('cell', { name: 'yes' }).waitFor();
    await line(page, other.id).click();
    assert.equal(await line(page, other.id).count(), 0);
  },
);

story(
  'Rows that scroll past load no deliveries, and visible ones move nothing',
  {},
  async ({ page, open, people, project, general, mara }) => {
    await people.agent(project, 'Coder');
    for (let index = 0; index < 120; index += 1) await mara.post(general, `@Coder number ${index}`);
    let asked = 0;
    page.on('request', (request) => {
      if (/\/deliveries$/.test(new URL(request.url()).pathname)) asked += 1;
    });
    await open(general);
    await page.getByText('Stored for Coder').last().waitFor();
    const shift = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(sum), 300);
        }),
    );
    assert.ok(shift < 0.01, `layout shift ${shift}`);
    assert.ok(asked < 40, `${asked} of 120 were asked for`);
  },
);
