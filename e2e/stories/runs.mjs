/** Runs: list, pane and timelines. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const pane = (page) => page.locator('aside.pane');
const nameOf = (run) => `run ${run.id.slice(-4).toLowerCase()}`;
const moments = (page) => pane(page).locator('.timeline-title');
const confirm = (page, act) => page.locator('dialog[open]').getByRole('button', { name: act, exact: true }).click();
const untilMoments = (page, titles) =>
  page.waitForFunction(
    (wanted) => [...document.querySelectorAll('.timeline-title')].map((one) => one.textContent).join('|') === wanted,
    titles.join('|'),
  );

/** Coder runs for a message of Mara. */
async function begin({ people, project, general, mara }, more = {}) {
  const coder = await people.agent(project, 'Coder');
  const tobias = await people.person('Tobias');
  await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
  const cause = await mara.post(general, '@Coder the resume test fails after an epoch change.');
  const run = await coder.send('/runs', { message_id: cause.id, ...more });
  return { coder, tobias, cause, run };
}

story(
  '22. The run pane shows why a run is paused, resumes it, and shows its timeline',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { coder, tobias, run } = await begin(scene);
    await open(general, { pane: `run:${run.id}` });
    await pane(page).getByText('running').waitFor();
    await untilMoments(page, ['Called by you']);

    await tobias.post(general, '@Coder wait: which machine is it on?', { blocking: true });
    assert.equal((await coder.send(`/runs/${run.id}/checkpoint`)).verdict, 'pause');
    await pane(page).locator('.run-state').getByText('paused by Tobias').waitFor();
    await pane(page).locator('.run-pause').getByText('which machine is it on?').waitFor();
    await untilMoments(page, ['Called by you', 'Paused by Tobias, waiting']);
    await expectAccessible('a paused run');
    await pane(page).getByRole('button', { name: 'Resume' }).click();
    await pane(page).locator('.run-state').getByText('running').waitFor();
    await untilMoments(page, ['Called by you', 'Paused by Tobias', 'Resumed']);
    assert.equal((await coder.send(`/runs/${run.id}/checkpoint`)).verdict, 'continue');

    await pane(page).getByRole('button', { name: 'Stop…' }).click();
    await confirm(page, 'Stop the run');
    await pane(page).locator('.run-state').getByText('stopped').waitFor();
    await untilMoments(page, ['Called by you', 'Paused by Tobias', 'Resumed', 'Stopped by you']);
    await assert.rejects(coder.send(`/runs/${run.id}/checkpoint`), /PARLOUR-C11/);
    assert.equal(await pane(page).getByRole('button', { name: 'Resume' }).count(), 0);
  },
);

story(
  'A run that asked me waits for me; resuming it withdraws its question',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, mara } = scene;
    const { coder, run } = await begin(scene);
    await open(general, { pane: `run:${run.id}` });
    const asked = await coder.post(general, '@Mara add a column, or keep it in memory?', {
      blocking: true,
      question: { options: [{ id: 'keep', label: 'Keep in memory' }], run_id: run.id },
    });
    await pane(page).locator('.run-state').getByText('waiting for you').waitFor();
    await pane(page).locator('.run-pause').getByText('add a column').waitFor();
    await untilMoments(page, ['Called by you', 'Asked you, waiting']);
    await pane(page).getByRole('button', { name: 'Resume' }).click();
    await page.locator('dialog[open]').getByText('Its question is withdrawn.').waitFor();
    await confirm(page, 'Resume');
    await pane(page).locator('.run-state').getByText('running').waitFor();
    assert.equal((await mara.get(`/messages/${asked.id}`)).question.state, 'withdrawn');
  },
);

story('The timeline of a task shows paused and resumed, and the run pane links to it', {}, async (scene) => {
  const { page, open, project, general, mara, people } = scene;
  const coder = await people.agent(project, 'Coder');
  const task = await mara.send('/tasks', { project_id: project.id, title: 'Fix the resume test', assignee: coder.id });
  const run = await coder.send('/runs', { task_id: task.id, channel_id: general.id, label: 'Looking for the cause' });
  await mara.post(general, '@Coder is it the cache?', { blocking: true });
  await coder.send(`/runs/${run.id}/checkpoint`);
  await coder.send(`/runs/${run.id}/resume`, {});
  await open(general, { pane: `run:${run.id}` });
  await pane(page).getByRole('link', { name: 'Fix the resume test' }).click();
  await pane(page).getByRole('heading', { name: 'Fix the resume test' }).waitFor();
  await page.waitForFunction(() => {
    const titles = [...document.querySelectorAll('.timeline-title')].map((one) => one.textContent);
    const paused = titles.findIndex((title) => title.startsWith('Paused by you'));
    return paused > 0 && titles.indexOf('Resumed') > paused;
  });
  assert.ok((await moments(page).allTextContents())[0].startsWith('Task created by you'));
  await pane(page)
    .getByRole('link', { name: nameOf(run) })
    .first()
    .click();
  await pane(page).locator('.run-state').getByText('running').waitFor();
});

story('The list of runs is live and can be filtered', { on: ['desktop', 'phone'] }, async (scene) => {
  const { page, open, people, project, general, expectAccessible } = scene;
  await open(general);
  await page.keyboard.press('Escape');
  await page.goto('/#/runs');
  await page.getByText('No open runs.').waitFor();
  await expectAccessible('no runs');
  const { coder, run } = await begin(scene);
  const rows = page.locator('.run');
  await rows.getByText('running', { exact: true }).waitFor();
  await rows.getByText('the resume test fails').waitFor();
  const reviewer = await people.agent(project, 'Reviewer');
  const other = await reviewer.send('/runs', { label: 'Reading the diff', channel_id: general.id });
  await rows.getByText('Reading the diff').waitFor();
  await coder.send(`/runs/${run.id}/finish`, { usage: { model: 'sketch-2', input_tokens: 640, output_tokens: 172 } });
  await page.waitForFunction(() => document.querySelectorAll('.run').length === 1);
  await page.getByLabel('All', { exact: true }).check({ force: true });
  await rows.getByText('812 tokens').waitFor();
  await page.locator('.runs-agent select').selectOption({ label: 'Reviewer' });
  await page.waitForFunction(() => document.querySelectorAll('.run').length === 1);
  await expectAccessible('runs');
  await reviewer.send(`/runs/${other.id}/finish`, { failed: 'the diff is too long' });
  await rows.getByText('the diff is too long').waitFor();
  await rows.getByRole('link', { name: 'Reviewer' }).click();
  await pane(page).getByText('the diff is too long').first().waitFor();
});

story('Runs open by shortcut and from the sidebar, which shows what agents do', {}, async (scene) => {
  const { page, open, general } = scene;
  const { coder, tobias, run } = await begin(scene);
  await open(general);
  const sidebar = page.locator('nav.sidebar');
  await sidebar.getByRole('link', { name: `Coder, ${nameOf(run)}` }).waitFor();
  await tobias.post(general, '@Coder one moment', { blocking: true });
  await coder.send(`/runs/${run.id}/checkpoint`);
  await sidebar.getByRole('link', { name: 'Coder, paused' }).waitFor();
  await page.waitForFunction(() =>
    document.querySelector('p[role=status].unseen')?.textContent.startsWith('Coder is paused: Tobias asks'),
  );
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.locator('.palette').getByRole('combobox').fill('run of cod');
  await page.getByRole('option', { name: /Open the run of Coder/ }).waitFor();
  await page.keyboard.press('Enter');
  await pane(page).locator('.run-state').getByText('paused by Tobias').waitFor();
  await page.keyboard.press('Escape');
  await pane(page).waitFor({ state: 'detached' });
});

story(
  'An agent has a page; its inbox is visible to administrators only',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, people, project, general, visit, expectAccessible } = scene;
    const { coder } = await begin(scene);
    await page.goto(`/#/p/${project.id}/c/${general.id}?pane=member:${coder.id}`);
    await pane(page).getByRole('link', { name: 'Agent details' }).click();
    await page.getByRole('heading', { name: 'Coder', level: 1 }).waitFor();
    await page.locator('.run').getByText('running', { exact: true }).waitFor();
    await expectAccessible('an agent');
    assert.equal(await page.getByRole('heading', { name: 'Inbox' }).count(), 0);
    const { page: other } = await visit(people.admin);
    await other.goto(`/#/p/${project.id}/c/${general.id}`);
    await other.locator('main.conversation .list-row').first().waitFor();
    await other.goto(`/#/agents/${coder.id}`);
    await other.getByRole('heading', { name: 'Inbox' }).waitFor();
    await other.locator('.digest').getByText('1 unread from Mara').waitFor();
    await expectAccessible('the inbox of an agent', other);
  },
);
