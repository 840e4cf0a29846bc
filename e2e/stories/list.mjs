/** Long conversations: scrolling, positions and unread messages. */
import assert from 'node:assert/strict';
import { inParallel } from '../harness/people.mjs';
import { story } from '../harness/story.mjs';

const list = (page) => page.locator('main.conversation .message-list');
const toNewest = (page) => page.locator('main.conversation .to-newest');
const message = (page, { id }) => page.locator(`main.conversation article.message[data-id="${id}"]`);
const sidebarLink = (page, name) => page.locator('nav.sidebar').getByRole('link', { name: new RegExp(`^${name}\\b`) });

/** The hub commits concurrent posts together, so seeding is fast. */
const SEEDED_AT_ONCE = 128;
const numbered = (count, word = 'Message') => Array.from({ length: count }, (_, index) => `${word} ${index + 1}.`);
const PARAGRAPH = 'A further sentence of the answer, long enough to fill a good part of one line.\n\n';

/** Returns the messages that start inside the viewport, with their distance from its top. */
function tops(page) {
  return list(page).evaluate((element) => {
    const { top: edge, height } = element.getBoundingClientRect();
    const rows = [...element.querySelectorAll('article.message')];
    const found = rows.map((row) => ({ id: row.dataset.id, top: row.getBoundingClientRect().top - edge }));
    return found.filter(({ top }) => top >= 0 && top < height).sort((one, other) => one.top - other.top);
  });
}

const anchor = async (page) => (await tops(page))[0];

async function topOf(page, id) {
  const box = await message(page, { id }).boundingBox();
  return box.y - (await list(page).boundingBox()).y;
}

/**
 * Waits until the list follows and shows its end, looking once per frame: a script that runs between a commit of the
 * page and its next frame measures text that was never painted. `watch` checks what was painted on the way.
 */
async function isFollowing(page) {
  await page.waitForFunction(() => {
    const element = document.querySelector('main.conversation .message-list[data-follows]');
    return element && element.scrollHeight - element.scrollTop - element.clientHeight <= 1;
  });
}

/** Scrolls by touch on phones, by wheel elsewhere; negative is up. */
async function scroll(page, distance) {
  const { x, y, width, height } = await list(page).boundingBox();
  const [middleX, middleY] = [Math.round(x + width / 2), Math.round(y + height / 2)];
  if (page.viewportSize().width <= 600) return swipe(page, middleX, middleY, distance);
  await page.mouse.move(middleX, middleY);
  await page.mouse.wheel(0, distance);
}

/** A finger that moves in small steps, and rests before it lets go. */
async function swipe(page, x, from, distance) {
  const session = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
  const begin = Math.round(from + distance / 2);
  await touch('touchStart', { x, y: begin });
  for (let step = 1; step <= 10; step += 1) await touch('touchMove', { x, y: begin - (distance * step) / 10 });
  await touch('touchMove', { x, y: begin - distance });
  await touch('touchEnd');
  await session.detach();
}

/** Waits until the position is stable for a few frames. */
async function rest(page) {
  await list(page).evaluate(async (element) => {
    let [top, frames] = [element.scrollTop, 0];
    while (frames < 6) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      frames = element.scrollTop === top ? frames + 1 : 0;
      top = element.scrollTop;
    }
  });
}

/** Records movement without input, and the largest gap at the end before a paint. */
function watch(page, id) {
  return page.evaluate((answerId) => {
    const watched = { moved: [], gap: 0 };
    globalThis.watched = watched;
    const nameOf = ({ node, previousRect, currentRect }) =>
      `${node?.className ?? node?.nodeName} from ${previousRect.y} to ${currentRect.y}`;
    new PerformanceObserver((entries) => {
      const unasked = entries.getEntries().filter((entry) => !entry.hadRecentInput);
      watched.moved.push(...unasked.flatMap((entry) => entry.sources.map(nameOf)));
    }).observe({ type: 'layout-shift' });
    const element = document.querySelector('main.conversation .message-list');
    // Registered after the list's own observer, so it runs after it, just before the paint.
    new ResizeObserver(() => {
      if (!('follows' in element.dataset)) return;
      watched.gap = Math.max(watched.gap, element.scrollHeight - element.scrollTop - element.clientHeight);
    }).observe(document.querySelector(`article.message[data-id="${answerId}"]`));
  }, id);
}

const watched = (page) => page.evaluate(() => globalThis.watched);

story(
  '7. I scroll up during an answer: nothing moves, the button counts, a click follows again',
  { on: ['desktop', 'phone'] },
  async ({ page, open, people, project, general, mara }) => {
    const [coder, tobias] = [await people.agent(project, 'Coder'), await people.person('Tobias')];
    await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
    for (const body of numbered(30)) await tobias.post(general, body);
    await mara.read((await mara.history(general)).at(-1));
    await open();
    await isFollowing(page);

    const answer = await coder.stream(general);
    await message(page, answer).waitFor();
    await watch(page, answer.id);
    for (let count = 0; count < 12; count += 1) await answer.chunk(PARAGRAPH);
    await answer.chunk('Here the reader looks up.');
    await page.getByText('Here the reader looks up.').waitFor();
    await isFollowing(page);

    await scroll(page, -420);
    await toNewest(page).getByText('Newest messages').waitFor();
    await rest(page);
    const { id, top } = await anchor(page);
    for (let count = 0; count < 12; count += 1) await answer.chunk(PARAGRAPH);
    await tobias.post(general, 'Are you there?');
    await toNewest(page).getByText('1 new message').waitFor();
    await tobias.post(general, 'It is urgent.');
    await toNewest(page).getByText('2 new messages').waitFor();
    assert.equal(await topOf(page, id), top);

    await toNewest(page).click();
    await page.getByText('It is urgent.').waitFor();
    await isFollowing(page);
    await answer.complete({ body: `${PARAGRAPH.repeat(24)}And this is the end.` });
    await page.getByText('And this is the end.').waitFor({ state: 'attached' });
    await isFollowing(page);
    assert.equal(await toNewest(page).count(), 0);
    const { moved, gap } = await watched(page);
    assert.ok(gap <= 1, `a gap of ${gap} px was painted`);
    assert.deepEqual(moved, []);
  },
);

/** Records the texts of highlighted rows from the start: a highlight lasts two seconds, which a busy machine may miss. */
const recordHighlights = (page) =>
  page.addInitScript(() => {
    globalThis.highlights = [];
    const look = () => {
      for (const row of document.querySelectorAll('.list-row[data-highlighted]')) {
        globalThis.highlights.push(row.textContent);
      }
    };
    new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  });

const wasHighlighted = (page, text) =>
  page.waitForFunction((wanted) => globalThis.highlights.some((one) => one.includes(wanted)), text);

/** Delays the next page of older messages until `release` is called. */
async function holdOlder(page) {
  let release;
  const gate = new Promise((resolve) => {
    release = resolve;
  });
  const pattern = /\/channels\/[^/]+\/messages\?.*before=/;
  await page.route(pattern, async (route) => {
    await gate;
    await route.continue();
  });
  return async () => {
    const answered = page.waitForResponse(pattern);
    release();
    await answered;
    await page.unroute(pattern);
  };
}

const height = (page) => list(page).evaluate((element) => element.scrollHeight);

/** Scrolls close to the top, loads older messages, and returns how far visible messages moved. */
async function loadOlder(page, distance) {
  const release = await holdOlder(page);
  const asked = page.waitForRequest(/before=/);
  await scroll(page, distance - (await list(page).evaluate((element) => element.scrollTop)));
  await asked;
  await rest(page);
  const seen = await tops(page);
  const before = await height(page);
  await release();
  await page.waitForFunction((old) => document.querySelector('.message-list').scrollHeight > old + 2_000, before);
  const after = new Map((await tops(page)).map(({ id, top }) => [id, top]));
  return seen.filter(({ id, top }) => after.get(id) !== top);
}

story(
  '8. Older messages load three times without moving my line; I leave and return to the same position',
  { minutes: 2 },
  async ({ page, open, people, project, general, mara }) => {
    const other = await people.channel(project, 'other');
    await mara.post(other, 'Something else.');
    await mara.postMany(general, numbered(900));
    await open();
    await isFollowing(page);
    for (const distance of [900, 300, 0]) assert.deepEqual(await loadOlder(page, distance), []);

    const { id, top } = await anchor(page);
    await sidebarLink(page, 'other').click();
    await page.getByText('Something else.').waitFor();
    await sidebarLink(page, 'general').click();
    await message(page, { id }).waitFor();
    assert.ok(Math.abs((await topOf(page, id)) - top) <= 1);
    await page.reload();
    await message(page, { id }).waitFor();
    assert.ok(Math.abs((await topOf(page, id)) - top) <= 1);
  },
);

story(
  '9. Of 10,000 messages I open the first by link, then press End',
  { minutes: 2 },
  async ({ page, open, general, mara }) => {
    const first = await mara.post(general, 'The very first message.');
    await inParallel(numbered(9_998), (body) => mara.post(general, body), SEEDED_AT_ONCE);
    const last = await mara.post(general, 'The very last message.');
    const pages = [];
    page.on('request', (request) => /\/messages\?/.test(request.url()) && pages.push(request.url()));
    await recordHighlights(page);
    await open(general, { message: first });
    await page.getByText('The very first message.').waitFor();
    await wasHighlighted(page, 'The very first message.');
    assert.ok(pages.length <= 4, `${pages.length} pages for one message`);

    await list(page).press('End');
    await message(page, last).waitFor();
    await isFollowing(page);
    assert.ok(pages.length <= 8, `${pages.length} pages for both ends`);
    const elements = await page.evaluate(() => document.querySelectorAll('*').length);
    assert.ok(elements <= 2_500, `${elements} elements`);
  },
);

story('A link to a deleted message says so', { expected: [/404/] }, async ({ page, open, general, mara }) => {
  await mara.post(general, 'Still here.');
  await open(general, { message: 'msg_never' });
  await page.locator('.toast').getByText('This message no longer exists.').waitFor();
  await page.getByText('Still here.').waitFor();
});

story(
  '18. Unread line, badges, title; reading clears them in both tabs',
  {},
  async ({ page, context, open, people, project, general, mara, expectAccessible }) => {
    const tobias = await people.person('Tobias');
    await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
    const release = await people.channel(project, 'release');
    await mara.post(release, 'Read before.');
    await mara.post(general, 'Nothing new here.');
    await open();
    const second = await context.newPage();
    await open(general, {}, second);
    await second.getByText('Nothing new here.').waitFor();

    const unread = await tobias.post(release, 'First of what is new.');
    await tobias.post(release, '@Mara and this is for you.');
    for (const tab of [page, second]) {
      await sidebarLink(tab, 'release').locator('.badge').getByText('1').waitFor();
      await tab.waitForFunction(() => document.title.startsWith('(1) '));
    }

    await page.bringToFront();
    await sidebarLink(page, 'release').click();
    await page.locator('main.conversation .unread-line').waitFor();
    const line = await page.locator('.unread-line').boundingBox();
    const next = await message(page, unread).boundingBox();
    const read = await page.locator('article.message', { hasText: 'Read before.' }).boundingBox();
    assert.ok(read.y < line.y && line.y < next.y);
    for (const tab of [page, second]) {
      await sidebarLink(tab, 'release').locator('.badge').waitFor({ state: 'detached' });
      await tab.waitForFunction(() => !document.title.startsWith('('));
    }
    await tobias.post(release, 'What comes while I look is not marked.');
    await page.getByText('What comes while I look').waitFor();
    assert.equal(await page.locator('.unread-line').count(), 1);
    await expectAccessible('a conversation with an unread line');
  },
);

story(
  '25. Switching quickly never shows messages of another conversation',
  {},
  async ({ page, open, people, project, mara }) => {
    const names = ['alpha', 'beta', 'gamma'];
    const channels = [];
    for (const name of names) channels.push(await people.channel(project, name));
    for (const [index, channel] of channels.entries()) await mara.post(channel, `${names[index]} begins.`);
    await open(channels[0]);
    await page.getByText('alpha begins.').waitFor();
    // Observes every change of the page.
    await page.evaluate(() => {
      globalThis.strangers = [];
      const look = () => {
        const name = document.querySelector('main.conversation h1')?.textContent;
        for (const { textContent } of document.querySelectorAll('main.conversation .message-bubble')) {
          if (name && textContent && !textContent.startsWith(name))
            globalThis.strangers.push(`${textContent} in ${name}`);
        }
      };
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    });

    const coder = await people.agent(project, 'Coder');
    const answers = await Promise.all(channels.map((channel) => coder.stream(channel)));
    let isOver = false;
    const noise = Promise.all(
      channels.map(async (channel, index) => {
        for (let count = 0; !isOver; count += 1) {
          await mara.post(channel, `${names[index]} ${count}`);
          await answers[index].chunk(`${names[index]} goes on. `);
          // One round per frame: a slow machine must not get more messages than it can show.
          await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
        }
      }),
    );
    try {
      for (let count = 0; count < 15; count += 1) await sidebarLink(page, names[count % 3]).click();
      await sidebarLink(page, 'beta').click();
      await page.getByRole('heading', { name: 'beta', level: 1 }).waitFor();
    } finally {
      isOver = true;
      await noise;
    }
    await mara.post(channels[1], 'beta ends.');
    await page.getByText('beta ends.').waitFor();
    assert.deepEqual(await page.evaluate(() => globalThis.strangers), []);
  },
);

story(
  'A link to a message in a thread opens its channel with the thread, and shows the message there',
  {},
  async ({ page, open, people, project, general, mara, expectAccessible }) => {
    const coder = await people.agent(project, 'Coder');
    const root = await mara.post(general, 'What breaks the resume?');
    const thread = await mara.thread(root);
    const replies = [];
    for (const body of numbered(40, 'Reply')) replies.push(await coder.post(thread, body));
    await recordHighlights(page);
    await open(thread, { message: replies[2] });
    const pane = page.locator('aside.pane');
    await pane.getByText('Reply 3.', { exact: true }).waitFor();
    await wasHighlighted(page, 'Reply 3.');
    assert.match(page.url(), new RegExp(`/c/${general.id}/m/${replies[2].id}\\?pane=thread:${thread.id}$`));
    await message(page, root).waitFor();
    await page.getByRole('link', { name: '#general', exact: true }).waitFor();
    await expectAccessible('a thread beside its channel');
    await pane.locator('.message-list').press('Home');
    await pane.getByText('40 replies').waitFor();
    await pane.getByText('What breaks the resume?').waitFor();
  },
);

story('The list is one tab stop; J and K move between messages', {}, async ({ page, open, general, mara }) => {
  for (const body of numbered(30)) await mara.post(general, `[A link](https://parlour.example) in ${body}`);
  await open();
  await isFollowing(page);
  // A busy page moves the focus a moment after the key.
  const isFocused = (text) =>
    page.waitForFunction(
      (wanted) => document.activeElement.closest('article.message')?.textContent.includes(wanted),
      text,
    );
  await list(page).focus();
  await page.keyboard.press('Tab');
  await page.locator('.composer textarea:focus').waitFor();
  await page.keyboard.press('Shift+Tab');
  await page.locator('.message-list:focus').waitFor();
  await page.keyboard.press('k');
  await isFocused('Message 30.');
  await page.keyboard.press('k');
  await isFocused('Message 29.');
  await page.keyboard.press('Tab');
  await isFocused('Message 29.');
  for (let count = 0; count < 25; count += 1) await page.keyboard.press('k');
  await isFocused('Message 4.');
  await page.keyboard.press('j');
  await isFocused('Message 5.');
  await page.keyboard.press('End');
  await isFollowing(page);
});
