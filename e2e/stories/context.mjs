/** Contexts: what the model of an agent would see, at which cost, and what that of a run saw. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const pane = (page) => page.locator('aside.pane');
const slider = (page) => pane(page).getByRole('slider', { name: 'Budget' });
const used = (page) => pane(page).locator('.token-bar-used').first();

/** Coder, asked by Mara after a talk that is longer than the smallest budget. */
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
  '22. What an agent would see follows the budget, with reasons, and marks what was taken out',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { coder } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await pane(page).getByRole('heading', { name: 'What Coder would see' }).waitFor();
    await pane(page).getByText('what it is to answer').first().waitFor();
    await pane(page).locator('.context-item mark.taken-out').first().waitFor();
    assert.equal(await pane(page).locator('.context-item').getByText('ines@example.com').count(), 0);
    await expectAccessible('what an agent would see');

    const before = await pane(page).locator('.context-part .context-item').count();
    await slider(page).focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowRight');
    await used(page).getByText('of 256 tokens').waitFor();
    assert.ok((await pane(page).locator('.context-part .context-item').count()) < before);
    await pane(page)
      .getByText(/^Left out/)
      .click();
    await pane(page).locator('.context-fold .context-why b').first().waitFor();

    await pane(page).getByLabel('Model').fill('claude');
    await pane(page).getByText('never more').waitFor();
  },
);

story('The pane of a run says what it saw, and how that differs from another run', {}, async (scene) => {
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
  const saw = pane(page).getByRole('region', { name: 'What it saw' });
  await saw.getByText('In its prompt').click();
  await saw.getByText('and on lab-7, of all machines?').first().waitFor();
  await saw.getByText('Compare with…').click();
  await saw.getByLabel('Another run of the agent').selectOption(first.id);
  await saw.getByText('alike to both').waitFor();
  await saw.getByRole('heading', { name: /^Only run .* after/ }).waitFor();
  await expectAccessible('two runs compared');
});
