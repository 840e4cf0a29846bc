/** Messages: presentation, streaming answers, threads and actions. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const BOTH = ['desktop', 'phone'];

const article = (page, message) => page.locator(`main.conversation article.message[data-id="${message.id}"]`);
const inState = (page, message, state) => article(page, message).and(page.locator(`[data-state="${state}"]`));
const field = (page, place = 'main.conversation') => page.locator(`${place} .composer textarea`);

async function say(page, text, place) {
  await field(page, place).fill(text);
  await field(page, place).press('Enter');
}

/** Shows the toolbar of a message by pointer, or by its button on touch screens. */
async function showActions(page, message) {
  const touch = article(page, message).getByRole('button', { name: 'Actions' });
  if (await touch.isVisible()) await touch.tap();
  else await article(page, message).locator('.message-bubble').hover();
  await article(page, message).getByRole('toolbar').waitFor();
}

/** Returns everything visible that a reload could change: classes, colours, texts and boxes. */
function looksOf(page) {
  return page.locator('main.conversation article.message').evaluateAll((articles) =>
    articles.map((one) => {
      const box = one.querySelector('.message-bubble, .tool, .message-note') ?? one;
      const { backgroundColor, color, outlineStyle } = getComputedStyle(box);
      const { width, height } = box.getBoundingClientRect();
      const { source, kind, state, side } = one.dataset;
      return {
        ...{ classes: one.className, source, kind, state, side, text: one.innerText.trim() },
        ...{ backgroundColor, color, outlineStyle, width, height },
      };
    }),
  );
}

story('2. A second tab opened during an answer shows all of it, and both end the same', {}, async (scene) => {
  const { page, context, open, people, project, general } = scene;
  const coder = await people.agent(project, 'Coder');
  await open();
  const answer = await coder.stream(general);
  await article(page, answer).getByLabel('Coder is starting to answer').waitFor();
  await answer.chunk('The **first** half, ');
  await page.getByText('The first half,').waitFor();
  const tab = await context.newPage();
  await open(general, {}, tab);
  await tab.getByText('The first half,').waitFor();
  await tab.locator('#workingCursor').waitFor();
  await answer.chunk('and the `second`.');
  for (const one of [page, tab]) await one.getByText('and the second.').waitFor();
  await answer.complete();
  const [here, there] = await Promise.all([page, tab].map((one) => bubbleAtEnd(one, answer)));
  assert.equal(here, there);
  assert.match(here, /The <strong>first<\/strong> half, and the <code[^>]*>second<\/code>\./);
  assert.equal(await page.locator('.working-cursor').count(), 0);
});

async function bubbleAtEnd(page, answer) {
  await inState(page, answer, 'complete').waitFor();
  return article(page, answer).locator('.markdown').innerHTML();
}

story('6. All kinds of messages look the same live and after a reload', {}, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  const coder = await people.agent(project, 'Coder');
  const [applet, schedule] = await Promise.all([
    people.actsAs(mara, 'applet', 'file-browser'),
    people.actsAs(mara, 'scheduler', 'daily-standup'),
  ]);
  await open();
  await say(page, '[scheduler:x] is only what I typed');
  // The outgoing message is shown at once; later messages must not come before it.
  await page.locator('article.message[data-state="complete"]', { hasText: 'is only what I typed' }).waitFor();
  await applet.post(general, 'Mara picked `resume.rs`, lines 40 to 88.');
  await schedule.post(general, 'Collect open reviews.', { importance: 'high' });
  await coder.post(general, 'Does anything still read the epoch?', { kind: 'user' });
  await coder.post(general, 'Two things stand between us and **0.4**.');
  const content = { name: 'cargo test resume', passed: 13, failed: 1, duration_ms: 1_800 };
  await coder.post(general, 'FAILED', { kind: 'tool_result', content });
  const failed = await coder.stream(general, { body: 'Looking first,' });
  await failed.fail('the model did not answer');
  const removed = await mara.post(general, 'Not meant for here');
  await mara.call('DELETE', `/messages/${removed.id}`);
  await article(page, removed).getByText('This message was deleted.').waitFor();
  await inState(page, failed, 'failed').waitFor();
  const live = await looksOf(page);
  assert.deepEqual(
    live.map(({ classes, side }) => [classes, side]),
    [
      ['message user-message', 'end'],
      ['message applet-message', 'start'],
      ['message scheduler-message', 'start'],
      ['message agent-message', 'start'],
      ['message assistant-message', 'start'],
      ['message tool-message', 'start'],
      ['message assistant-message', 'start'],
      ['message user-message', 'end'],
    ],
  );
  assert.equal(new Set(live.slice(0, 5).map(({ backgroundColor }) => backgroundColor)).size, 5);
  assert.match(live[0].text, /\[scheduler:x\] is only what I typed/);
  assert.match(live[5].text, /1 of 14 failed/);
  await expectAccessible('all forms');
  await page.reload();
  await article(page, removed).waitFor();
  assert.deepEqual(await looksOf(page), live);
});

story('Only my messages are on the right, and each person has a colour', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  const [tobias, ines] = [await people.person('Tobias'), await people.person('Ines')];
  for (const { id } of [tobias, ines]) await scene.admin.send(`/projects/${project.id}/people`, { person_id: id });
  const said = [];
  for (const person of [mara, tobias, ines]) said.push(await person.post(general, `It is ${person.name} who says so.`));
  await open();
  await article(page, said[2]).waitFor();
  const looks = await looksOf(page);
  assert.deepEqual(
    looks.map(({ side }) => side),
    ['end', 'start', 'start'],
  );
  assert.equal(new Set(looks.map(({ backgroundColor }) => backgroundColor)).size, 3);
  const lefts = await page
    .locator('main.conversation .message-bubble')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  assert.ok(lefts[0] > lefts[1] && lefts[1] === lefts[2], `${lefts}`);
  await expectAccessible('three people');
});

story('The actions of a message cover no text: while it grows, after Stop, beside a pane', {}, async (scene) => {
  const { page, open, people, project, general } = scene;
  const coder = await people.agent(project, 'Coder');
  await open();
  const answer = await coder.stream(general);
  await answer.chunk('Short.');
  await showActions(page, answer);
  await answer.chunk(` ${'A line that is longer than the bubble was before. '.repeat(8)}`);
  await article(page, answer).getByText('before. A line').waitFor();
  assert.equal(await coveredText(page, answer), '');
  await article(page, answer).getByRole('button', { name: 'Stop the answer' }).click();
  await article(page, answer).getByText('The text so far is kept.').waitFor();
  assert.equal(await coveredText(page, answer), '');
  const settled = await coder.post(general, 'Forty characters, which are beside it.');
  await showActions(page, settled);
  await page.getByRole('button', { name: /members$/ }).click();
  await page.locator('aside.pane').waitFor();
  await showActions(page, settled);
  assert.equal(await coveredText(page, settled), '');
});

/** Returns the text of a bubble that lies below the toolbar of its row. */
function coveredText(page, message) {
  return article(page, message).evaluate((row) => {
    const bar = row.querySelector('.message-toolbar').getBoundingClientRect();
    const walker = document.createTreeWalker(row.querySelector('.message-bubble'), NodeFilter.SHOW_TEXT);
    const covered = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const isBelow = (box) =>
        box.left < bar.right && box.right > bar.left && box.top < bar.bottom && box.bottom > bar.top;
      if ([...range.getClientRects()].some(isBelow)) covered.push(node.data);
    }
    return covered.join('');
  });
}

story('A table has the same width live and after a reload', {}, async (scene) => {
  const { page, open, people, project, general } = scene;
  const coder = await people.agent(project, 'Coder');
  await open();
  const answer = await coder.stream(general);
  await answer.chunk('| Check | State |\n|---|---|\n| one | ok |\n');
  await article(page, answer).getByText('ok').waitFor();
  await answer.chunk(
    '| a check with a very long name in a later row | it waits for a second machine |\n| three | ok |\n',
  );
  await article(page, answer).getByText('three').waitFor();
  await answer.complete();
  await inState(page, answer, 'complete').waitFor();
  const widths = () =>
    article(page, answer)
      .locator('table, th')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().width)));
  const live = await widths();
  await page.reload();
  await article(page, answer).getByText('three').waitFor();
  assert.deepEqual(await widths(), live);
});

story('A thread that I leave without a reply is not shown', {}, async ({ page, open, general, mara }) => {
  const root = await mara.post(general, 'Shall we ship on Friday?');
  await open();
  await showActions(page, root);
  await page.getByRole('button', { name: 'Reply in a thread' }).click();
  await page.waitForFunction(() => document.activeElement?.matches('aside.pane .composer textarea'));
  await page
    .locator('aside.pane')
    .getByRole('button', { name: /^close/i })
    .first()
    .click();
  await page.locator('aside.pane').waitFor({ state: 'detached' });
  assert.equal(await article(page, root).locator('.thread-link').count(), 0);
  assert.equal(await page.locator('nav.sidebar').getByText('Shall we ship on Friday?').count(), 0);
});

story('Markers of lists from right to left are on the right', {}, async ({ page, open, general, mara }) => {
  const message = await mara.post(general, '- אחד\n- שתיים\n\nand\n\n- [ ] task\n- plain');
  await open();
  const styles = await article(page, message)
    .locator('li')
    .evaluateAll((items) => items.map((one) => [getComputedStyle(one).direction, getComputedStyle(one).listStyleType]));
  assert.deepEqual(styles, [
    ['rtl', 'disc'],
    ['rtl', 'disc'],
    ['ltr', 'none'],
    ['ltr', 'disc'],
  ]);
});

story('10. Stop keeps the text', { on: BOTH }, async ({ page, open, people, project, general }) => {
  const coder = await people.agent(project, 'Coder');
  await open();
  const answer = await coder.stream(general);
  await answer.chunk('Half an answer');
  await page.getByText('Half an answer').waitFor();
  await page.locator('main.conversation').getByRole('button', { name: /stop/i }).first().click();
  await inState(page, answer, 'cancelled').waitFor();
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
  const bubble = article(page, answer).locator('.message-bubble');
  assert.match(await bubble.innerText(), /Half an answer\s+Stopped.*The text so far is kept\.\s+Ask again/);
});

story('10. An answer whose agent died shows Interrupted, and I ask again', {}, async (scene) => {
  const { page, open, people, project, general, mara, admin } = scene;
  await admin.call('PATCH', `/projects/${project.id}`, { policy: { streams: { lease_seconds: 1 } } });
  const coder = await people.agent(project, 'Coder');
  await open();
  await say(page, '@Coder why does resume fail?');
  const question = page.locator('article.message[data-state=complete]', { hasText: 'why does resume fail?' });
  await question.waitFor();
  const answer = await coder.stream(general, { reply_to: await question.getAttribute('data-id') });
  await answer.chunk('It fails because');
  await page.getByText('It fails because').waitFor();
  await inState(page, answer, 'interrupted').waitFor();
  const bubble = article(page, answer).locator('.message-bubble');
  assert.match(
    await bubble.innerText(),
    /It fails because\s+Interrupted: .* gave no sign .* The text so far is kept\./,
  );
  await bubble.getByRole('button', { name: 'Ask again' }).click();
  await page.waitForFunction(() => document.querySelectorAll('article.user-message[data-state=complete]').length === 2);
  const bodies = (await mara.history(general)).map(({ body }) => body);
  assert.deepEqual(bodies, ['@Coder why does resume fail?', 'It fails because', '@Coder why does resume fail?']);
});

story('10. Asking again what somebody else asked starts a draft', {}, async (scene) => {
  const { page, open, people, project, general } = scene;
  const [coder, tobias] = [await people.agent(project, 'Coder'), await people.person('Tobias')];
  await scene.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
  await open();
  const question = await tobias.post(general, '@Coder and you?');
  const answer = await coder.stream(general, { reply_to: question.id });
  await answer.fail('the model did not answer');
  await article(page, answer).getByRole('button', { name: 'Ask again' }).click();
  await page.waitForFunction(
    () => document.activeElement?.closest('.composer')?.querySelector('textarea')?.value === '@Coder ',
  );
});

story(
  '11. The steps of an answer are expanded while it is written, collapsed after, and open by keyboard',
  { on: BOTH },
  async (scene) => {
    const { page, open, people, project, general, expectAccessible } = scene;
    const coder = await people.agent(project, 'Coder');
    await open();
    const answer = await coder.stream(general);
    await answer.step('s1', 'rg "epoch" crates/', { pattern: 'epoch' });
    await answer.finishStep('s1', { matches: 38 });
    await answer.step('s2', 'cargo check');
    const box = article(page, answer).locator('.activity');
    const head = box.getByRole('button').first();
    await box.getByText('38 matches').waitFor();
    await box.getByText('running').waitFor();
    assert.equal(await head.getAttribute('aria-expanded'), 'true');
    await answer.chunk(`It stands in \`attach\`:\n\n\`\`\`\n${'let epoch = log.epoch(); '.repeat(8)}\n\`\`\`\n`);
    await answer.finishStep('s2', 'no such crate', true);
    await box.getByText('no such crate').waitFor();
    await answer.complete({ usage: { model: 'scripted', output_tokens: 812, duration_ms: 4_200 } });
    await head.getByText('2 steps · 4.2 s · 812 tokens').waitFor();
    assert.equal(await head.getAttribute('aria-expanded'), 'false');
    assert.equal(await box.getByText('38 matches').count(), 0);
    const { x, width } = await article(page, answer).locator('.message-bubble').boundingBox();
    assert.ok(x + width <= page.viewportSize().width, 'a long line of code makes the bubble wider than the screen');
    await head.focus();
    await page.keyboard.press('Enter');
    await box.getByText('38 matches').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await box.getByText('"pattern": "epoch"').waitFor();
    await expectAccessible('an open activity box');
    await head.press('Space');
    await box.getByText('38 matches').waitFor({ state: 'detached' });
  },
);

story('17. I reply in a thread, and its counts show in channel and sidebar', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general, mara } = scene;
  const tobias = await people.person('Tobias');
  await scene.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
  const root = await tobias.post(general, 'Shall we ship on Friday?');
  await open();
  await showActions(page, root);
  await page.getByRole('button', { name: 'Reply in a thread' }).click();
  await field(page, 'aside.pane').waitFor();
  await page.waitForFunction(() => document.activeElement?.matches('aside.pane .composer textarea'));
  await say(page, 'Yes, after the review.', 'aside.pane');
  await page.locator('aside.pane article[data-state=complete]', { hasText: 'Yes, after the review.' }).waitFor();
  const link = article(page, root).locator('.thread-link');
  await link.getByText('1 reply').waitFor({ state: 'attached' });
  await page
    .locator('aside.pane')
    .getByRole('button', { name: /^(close|back)/i })
    .first()
    .click();
  await page.locator('aside.pane').waitFor({ state: 'detached' });
  const { thread_id } = (await mara.history(general)).find(({ id }) => id === root.id);
  await tobias.post(thread_id, 'Then Friday it is.');
  await link.getByText('2 replies').waitFor();
  await link.getByText('1 new').waitFor();
  const inSidebar = page.locator('nav.sidebar a', { hasText: 'Shall we ship on Friday?, 1 unread' });
  await inSidebar.waitFor({ state: 'attached' });
  await link.click();
  await page.locator('aside.pane').getByText('Then Friday it is.').waitFor();
  await link.getByText('1 new').waitFor({ state: 'detached' });
  await inSidebar.waitFor({ state: 'detached' });
});

story('I react, edit and delete by keyboard alone', {}, async ({ page, open, general, mara, expectAccessible }) => {
  const message = await mara.post(general, 'Helo world');
  await open();
  await article(page, message).focus();
  await page.keyboard.press('a');
  await page.getByLabel('Search reactions').fill('rocket');
  await expectAccessible('the picker of reactions');
  await page.keyboard.press('Enter');
  const rocket = article(page, message).getByRole('button', { name: 'rocket, 1' });
  await rocket.waitFor();
  assert.equal(await rocket.getAttribute('title'), 'Mara');
  await article(page, message).focus();
  await page.keyboard.press('e');
  const text = page.getByLabel('Edit the message');
  await text.waitFor();
  await expectAccessible('a message that is edited');
  await text.fill('Hello world');
  await page.keyboard.press('Enter');
  await article(page, message).getByText('Hello world').waitFor();
  await article(page, message).getByText('edited').waitFor();
  await article(page, message).focus();
  await page.keyboard.press('Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete this message?' });
  await dialog.getByText('Hello world').waitFor();
  await expectAccessible('the question before a message is deleted');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await article(page, message).getByText('This message was deleted.').waitFor();
});

story('I reset the loop guard that has stopped agents', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general } = scene;
  const [coder, reviewer] = [await people.agent(project, 'Coder'), await people.agent(project, 'Reviewer')];
  await open();
  const first = await coder.post(general, '@Reviewer what do you say?');
  const second = await reviewer.post(general, '@Coder I say no.', { reply_to: first.id });
  await article(page, second).getByText('Coder was not called').waitFor();
  const stop = page.locator('article.host-message', { hasText: 'The loop guard stopped' });
  await stop.getByText('Not visible to models.').waitFor();
  await stop.getByRole('button', { name: 'Reset the loop guard' }).click();
  await page.getByText('Mara has reset the loop guard here').waitFor();
  await stop.getByRole('button', { name: 'Reset the loop guard' }).waitFor({ state: 'detached' });
});

story('A link to a message opens it', { on: BOTH }, async ({ page, context, open, general, mara }) => {
  const message = await mara.post(general, 'Worth a link');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open();
  await showActions(page, message);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy the link' }).click();
  await page.getByText('Link copied').first().waitFor();
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(address.endsWith(`/m/${message.id}`), address);
  const tab = await context.newPage();
  await tab.goto(address);
  await article(tab, message).waitFor();
});

story('My message does not move when it arrives', { on: BOTH }, async ({ page, open }) => {
  await open();
  await field(page).waitFor();
  // Records every state of the row with its boxes.
  await page.evaluate(() => {
    globalThis.seen = [];
    const note = () => {
      for (const one of document.querySelectorAll('main.conversation article.message')) {
        const boxes = [one, ...one.querySelectorAll('.message-head, .message-bubble')].map((box) => {
          const { width, height } = box.getBoundingClientRect();
          return [width, height];
        });
        globalThis.seen.push({ state: one.dataset.state, boxes: JSON.stringify(boxes) });
      }
    };
    new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await say(page, 'Does it **move**?');
  await page.locator('article.message[data-state=complete]', { hasText: 'Does it move?' }).waitFor();
  const seen = await page.evaluate(() => globalThis.seen);
  const states = new Set(seen.map(({ state }) => state));
  assert.ok(states.has('sending') || states.has('waiting'), `only ${[...states]} was seen`);
  assert.ok(states.has('complete'));
  assert.deepEqual([...new Set(seen.map(({ boxes }) => boxes))].length, 1);
});
