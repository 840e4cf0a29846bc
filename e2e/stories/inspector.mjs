/** The context pane in detail: options, focus and updates. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const pane = (page) => page.locator('aside.pane');
const slider = (page) => pane(page).getByRole('slider', { name: 'Budget' });
const used = (page) => pane(page).locator('.token-bar-used').first();
const aim = (page) => pane(page).locator('.context-aim');
const agents = (page) => pane(page).getByLabel('Agent');
const items = (page) => pane(page).locator('.context-item');
const shown = (page) => pane(page).locator('.context-part:not(details *) .context-item');
/** Returns the accessible name of the focused element. */
const focused = (page) =>
  page.evaluate(() => document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent);

/** Coder and Reviewer, and a conversation that ends with a question to Coder. */
async function begin({ people, project, general, mara }) {
  const coder = await people.agent(project, 'Coder');
  const reviewer = await people.agent(project, 'Reviewer');
  const release = await people.channel(project, 'release');
  await mara.post(release, '@Coder the release waits for the resume test.');
  const talk = Array.from(
    { length: 80 },
    (_, no) => `Finding ${no + 1}: the resume test fails on machine lab-${no + 1}.`,
  );
  const [first] = await mara.postMany(general, talk);
  await mara.post(general, '@Coder why does the resume test fail?');
  return { coder, reviewer, release, first };
}

/** Counts context requests. */
function countAsked(page) {
  const asked = [];
  page.on('request', (request) => {
    if (/\/context$/.test(request.url())) asked.push(request.postDataJSON());
  });
  return asked;
}

story(
  'I follow a link in the context pane: it keeps its query, and Back restores my options',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, expectAccessible } = scene;
    const { coder } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await used(page).waitFor();
    await slider(page).focus();
    await page.keyboard.press('End');
    await pane(page).getByLabel('Model').fill('gpt-4o');
    await pane(page).getByRole('radio', { name: 'Injection' }).check();
    await used(page).getByText('of 32,768 tokens').waitFor();
    await pane(page).getByText('Inserted in the middle').waitFor();
    const before = await aim(page).innerText();
    assert.match(before, /why does the resume test fail/);

    const isPhone = !(await page.locator('.pane-separator').isVisible());
    await items(page).locator('.context-link', { hasText: '#release' }).first().click();
    await page.locator('main.conversation').getByText('the release waits').waitFor();
    if (isPhone) await pane(page).waitFor({ state: 'hidden' });
    else {
      assert.ok((await aim(page).innerText()).startsWith(before), 'it is still about #general');
      await pane(page).getByRole('button', { name: 'Preview #release instead' }).waitFor();
      await expectAccessible('an inspector beside another conversation');
    }
    await page.goBack();
    await used(page).getByText('of 32,768 tokens').waitFor();
    assert.equal(await aim(page).innerText(), before);
    assert.equal(await pane(page).getByLabel('Model').inputValue(), 'gpt-4o');
    assert.ok(await pane(page).getByRole('radio', { name: 'Injection' }).isChecked());

    await page.reload();
    await used(page).getByText('of 32,768 tokens').waitFor();
    assert.equal(await aim(page).innerText(), before, 'an address has all of it');
  },
);

story('Beside an old message, the context pane is about the newest message', {}, async (scene) => {
  const { page, open, general, mara } = scene;
  const { coder, first } = await begin(scene);
  for (let no = 0; no < 3; no += 1) {
    await mara.postMany(
      general,
      Array.from({ length: 80 }, (_, at) => `noise ${no} ${at}`),
    );
  }
  await mara.post(general, '@Coder and what is the newest?');
  await open(general, { message: first, pane: `context:${coder.id}` });
  await aim(page).getByText('and what is the newest?').waitFor();
  await used(page).waitFor();
});

story('The context pane updates after events and shows its age', {}, async (scene) => {
  const { page, open, general, mara } = scene;
  const { coder, release } = await begin(scene);
  await open(general, { pane: `context:${coder.id}` });
  await used(page).waitFor();
  await pane(page)
    .getByText(/^As of /)
    .waitFor();
  const asked = countAsked(page);

  const elsewhere = await mara.post(release, '@Coder the deploy moved to 15:00.');
  await shown(page).getByText('the deploy moved to 15:00').waitFor();
  await mara.call('PATCH', `/messages/${elsewhere.id}`, { body: '@Coder the deploy moved to 16:30.' });
  await shown(page).getByText('the deploy moved to 16:30').waitFor();
  assert.equal(await shown(page).getByText('moved to 15:00').count(), 0);
  await mara.call('DELETE', `/messages/${elsewhere.id}`);
  await shown(page).getByText('the deploy moved').waitFor({ state: 'detached' });
  const here = await mara.post(general, '@Coder and on lab-7, of all machines?');
  await aim(page).getByText('and on lab-7').waitFor();
  await shown(page).getByText('and on lab-7').first().waitFor();
  await coder.post(general, 'The epoch is read once, at attach.', { reply_to: here.id });
  await shown(page).getByText('The epoch is read once').first().waitFor();
  assert.ok(asked.length <= 12, `five things happened, and the hub was asked ${asked.length} times`);

  await pane(page).getByRole('button', { name: 'Refresh' }).focus();
  const again = page.waitForRequest(/\/context$/);
  await page.keyboard.press('Enter');
  await again;
  assert.equal(await focused(page), 'Refresh');
});

story(
  'By keyboard I compare agents at one budget, and the focus stays in the form',
  { expected: [/status of 422/] },
  async (scene) => {
    const { page, open, general } = scene;
    const { coder, reviewer } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await used(page).waitFor();
    await slider(page).focus();
    await page.keyboard.press('End');
    await used(page).getByText('of 32,768 tokens').waitFor();
    await agents(page).focus();
    await page.keyboard.press('ArrowDown');
    await pane(page).getByRole('heading', { name: 'Context preview: Reviewer' }).waitFor();
    await used(page).getByText('of 32,768 tokens').waitFor();
    assert.equal(await agents(page).inputValue(), reviewer.id);
    assert.ok(await agents(page).evaluate((select) => select === document.activeElement));
    await page.keyboard.press('ArrowUp');
    await pane(page).getByRole('heading', { name: 'Context preview: Coder' }).waitFor();

    await pane(page).getByRole('button', { name: 'Use default budget' }).press('Enter');
    assert.ok(await slider(page).evaluate((input) => input === document.activeElement));
    await page.keyboard.press('Home');
    await pane(page).getByRole('button', { name: /^Use / }).press('Enter');
    assert.ok(await slider(page).evaluate((input) => input === document.activeElement));
    await pane(page).locator('.context-refused').waitFor({ state: 'detached' });
    assert.ok(await slider(page).evaluate((input) => input === document.activeElement));
  },
);

story(
  'The context of one conversation is never shown for another one',
  { expected: [/status of 422/] },
  async (scene) => {
    const { page, open, general, people, project } = scene;
    const { coder } = await begin(scene);
    const empty = await people.channel(project, 'empty');
    await open(general, { pane: `context:${coder.id}` });
    await shown(page).getByText('the message to answer').first().waitFor();
    await pane(page).getByLabel('Model').fill('a\tb');
    await slider(page).focus();
    await page.keyboard.press('Home');
    const alert = pane(page).locator('.context-refused');
    await alert.getByText('The last preview is below').waitFor();
    await page.evaluate(
      ([from, to]) => {
        location.hash = location.hash.replace(from, to);
      },
      [general.id, empty.id],
    );
    await aim(page).getByText('For an answer in #empty.').waitFor();
    await alert.waitFor();
    assert.equal(await items(page).count(), 0);
    assert.equal(await alert.getByText('The last preview is below').count(), 0);
  },
);

story('Left-out messages show a preview, and a turn includes the conversation', {}, async (scene) => {
  const { page, open, general, expectAccessible } = scene;
  const { coder } = await begin(scene);
  await open(general, { pane: `context:${coder.id}` });
  await pane(page)
    .getByText(/^Left out/)
    .click();
  const left = pane(page).locator('.context-fold .context-item');
  await left
    .locator('.context-preview')
    .getByText(/^Finding \d+: the resume test fails/)
    .first()
    .waitFor();
  await expectAccessible('what is left out, in words');
  const packed = await shown(page).count();
  await pane(page).getByRole('radio', { name: 'Turn' }).check();
  await used(page).getByText('of 9,216 tokens').waitFor();
  assert.ok((await shown(page).count()) > packed + 20, 'the conversation is shown beside the pack');
  await pane(page).getByText('Text in addition to the conversation').waitFor();
  await expectAccessible('what opens a turn');
});

const isInPane = (page) => pane(page).evaluate((aside) => aside.contains(document.activeElement));

story(
  'By keyboard I open the context pane from an agent and from a thread, and Escape returns',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, general, mara } = scene;
    const { coder, first } = await begin(scene);
    await open(general, { pane: `member:${coder.id}` });
    await pane(page).getByRole('link', { name: 'Context preview' }).press('Enter');
    await used(page).waitFor();
    assert.ok(await isInPane(page), 'the keyboard stays in the pane');
    await page.keyboard.press('Escape');
    await pane(page).waitFor({ state: 'hidden' });
    assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY');

    const thread = await mara.thread(first);
    await mara.post(thread, '@Coder and in the thread?');
    await open(general, { pane: `thread:${thread.id}` });
    const title = pane(page).getByRole('heading', { name: 'Thread' });
    await pane(page).getByRole('link', { name: 'Context preview' }).waitFor();
    assert.ok(await title.evaluate((heading) => heading.scrollWidth <= heading.clientWidth), 'the title is not cut');
    await pane(page).getByRole('link', { name: 'Context preview' }).press('Enter');
    await used(page).waitFor();
    assert.ok(await isInPane(page));
  },
);

story(
  'The context pane requests again when the hub is back',
  { ownHub: true, expected: [/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|WebSocket connection/] },
  async (scene) => {
    const { page, open, general, hub } = scene;
    const { coder } = await begin(scene);
    await open(general, { pane: `context:${coder.id}` });
    await used(page).waitFor();
    await hub.kill();
    await pane(page).getByRole('button', { name: 'Refresh' }).click();
    const alert = pane(page).locator('.context-refused');
    await alert.getByText('The last preview is below, with 1,024 tokens.').waitFor();
    await hub.start();
    await alert.waitFor({ state: 'detached', timeout: 60_000 });
    await used(page).waitFor();
  },
);
