/** The context pane of agents and runs. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const pane = (page) => page.locator('aside.pane');
const slider = (page) => pane(page).getByRole('slider', { name: 'Budget' });
/** Included items; left-out items are in a collapsed part. */
const items = (page) => pane(page).locator('.context-part:not(details *) .context-item');
const used = (page) => pane(page).locator('.token-bar-used').first();

/** Mara asks Coder after a conversation that exceeds the smallest budget. */
async function begin({ people, project, general, mara }) {
  const coder = await people.agent(project, 'Coder');
  for (let no = 1; no <= 12; no += 1) {
    await mara.post(general, `Finding ${no}: the resume test fails on machine lab-${no} after the epoch has changed.`);
  }
  const cause = await mara.post(
    general,
    '@Coder why does the resume test fail? Write to ines@example.com when you know.',
  );
  return { coder, cause };
}

story(
  '22. The context preview follows the budget, with reasons, and marks redactions',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { coder } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await pane(page).getByRole('heading', { name: 'Context preview: Coder' }).waitFor();
    await pane(page).getByText('the message to answer').first().waitFor();
    await pane(page).locator('.context-item mark.taken-out').first().waitFor();
    assert.equal(await pane(page).locator('.context-item').getByText('ines@example.com').count(), 0);
    await expectAccessible('what an agent would see');

    const before = await items(page).count();
    await slider(page).focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
    await used(page).getByText('of 256 tokens').waitFor();
    assert.ok((await items(page).count()) < before);
    await pane(page)
      .getByText(/^Left out/)
      .click();
    await pane(page).locator('.context-fold').getByRole('heading').first().waitFor();
    await expectAccessible('what is left out');

    await pane(page).getByLabel('Model').fill('claude');
    await pane(page).getByText('never higher').waitFor();
  },
);

story('Moving the budget slider sends one request, and the last result stays until the next one', {}, async (scene) => {
  const { page, open, general } = scene;
  const { coder } = await begin(scene);
  await open(general, { pane: `context:${coder.id}` });
  await used(page).waitFor();
  const asked = [];
  let answer = () => undefined;
  const held = new Promise((resolve) => {
    answer = resolve;
  });
  await page.route('**/context', async (request) => {
    asked.push(request.request().postDataJSON().budget);
    await held;
    await request.continue();
  });
  const before = await slider(page).boundingBox();
  const asking = page.waitForRequest(/\/context$/);
  // As quickly as a hand: a machine that is busy between two keys would rest where nobody rests.
  await slider(page).evaluate((input) => {
    for (let step = 0; step < 6; step += 1) {
      input.stepUp();
      input.dispatchEvent(new Event('input', { bubbles: true }));
    }
  });
  await asking;
  await pane(page).getByText('updating…').waitFor();
  assert.deepEqual(asked, [8192]);
  await used(page).getByText('of 1,024 tokens').waitFor();
  assert.deepEqual(await slider(page).boundingBox(), before, 'nothing moves while somebody slides');
  answer();
  await used(page).getByText('of 8,192 tokens').waitFor();
  await page.keyboard.press('Escape');
  await pane(page).waitFor({ state: 'hidden' });
});

const tooSmall = { expected: [/status of 422/] };
story(
  'A budget that is too small is refused; the last result stays, and a larger budget is offered',
  tooSmall,
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { coder } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await used(page).waitFor();
    await slider(page).focus();
    await page.keyboard.press('Home');
    const alert = pane(page).locator('.context-refused');
    await alert.getByText('PARLOUR-M06').waitFor();
    await alert.getByText('The last preview is below, with 1,024 tokens.').waitFor();
    await used(page).getByText('of 1,024 tokens').waitFor();
    await expectAccessible('a refused budget');
    await alert.getByRole('button', { name: /^Use / }).click();
    await alert.waitFor({ state: 'detached' });
  },
);

story(
  'The context preview of a thread is about the thread, also for another agent',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, people, project, mara, expectAccessible } = scene;
    const { coder, cause } = await begin(scene);
    const reviewer = await people.agent(project, 'Reviewer');
    const thread = await mara.thread(cause);
    await coder.post(thread, 'The epoch is read once, at attach.');
    await mara.post(thread, '@Coder and on lab-7, of all machines?');
    await open(general, { pane: `thread:${thread.id}` });
    const asking = page.waitForRequest(/\/context$/);
    await pane(page).getByRole('link', { name: 'Context preview' }).click();
    assert.equal((await asking).postDataJSON().conversation_id, thread.id);
    await pane(page).getByText('in the thread in #').waitFor();
    await used(page).waitFor();
    await expectAccessible('what an agent would see in a thread');
    const again = page.waitForRequest(new RegExp(`/agents/${reviewer.id}/context$`));
    await pane(page).getByLabel('Agent').selectOption(reviewer.id);
    assert.equal((await again).postDataJSON().conversation_id, thread.id);
    await pane(page).getByRole('heading', { name: 'Context preview: Reviewer' }).waitFor();
  },
);

story('The run pane shows the context of the run and the difference from another run', {}, async (scene) => {
  const { page, open, general, mara, expectAccessible } = scene;
  const { coder, cause } = await begin(scene);
  const runOf = async (message) => {
    const run = await coder.send('/runs', { message_id: message.id });
    await coder.send(`/agents/${coder.id}/context`, { run_id: run.id, message_id: message.id, budget: 512 });
    await coder.send(`/runs/${run.id}/finish`, {});
    return run;
  };
  const first = await runOf(cause);
  const second = await runOf(await mara.post(general, '@Coder and on lab-7, of all machines?'));
  await open(general, { pane: `run:${second.id}` });
  const saw = pane(page).getByRole('region', { name: 'Context given to the model' });
  await saw.getByText('In its prompt').click();
  await saw.getByText('and on lab-7, of all machines?').first().waitFor();
  await saw.getByText('Compare with…').click();
  await saw.getByLabel('Another run of the agent').selectOption(first.id);
  await saw.getByText('the same in both runs').waitFor();
  await saw.getByRole('heading', { name: /^Only in run .* later run/ }).waitFor();
  await expectAccessible('two runs compared');
});
