/** The hub or the network goes away and comes back; nothing is lost or duplicated. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

/** Errors that browsers log when a request fails. */
const UNREACHABLE = [
  /ERR_(CONNECTION_REFUSED|INTERNET_DISCONNECTED|FAILED|CONNECTION_RESET)/,
  /WebSocket connection to/,
];

/** Longer than any reconnect delay in these stories. */
const RECONNECT_MS_MAX = 30_000;

const connection = (page) => page.locator('nav.sidebar .connection');
const bodies = (page) => page.locator('main.conversation article.message .markdown');
const composer = (page) => page.locator('main.conversation .composer textarea');

async function send(page, text) {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

const count = (list, item) => list.filter((one) => one === item).length;

/** Returns the stored texts of a conversation. */
async function stored(member, conversation) {
  return (await member.history(conversation)).map(({ body }) => body);
}

story(
  '3. The hub is killed and restarted: the page says so, and nothing is lost or duplicated',
  { ownHub: true, expected: UNREACHABLE },
  async ({ page, hub, open, people, project, general, mara }) => {
    const coder = await people.agent(project, 'Coder');
    await mara.post(general, 'before');
    await open();
    const answer = await coder.stream(general);
    await answer.chunk('half of an answer');
    await page.getByText('half of an answer').waitFor();
    await connection(page).getByText('Connected').waitFor();

    await hub.kill();
    await connection(page)
      .getByText(/Reconnecting, try \d/)
      .waitFor();
    await page.locator('.toast').getByText('Connection lost.').waitFor();
    await send(page, 'written meanwhile');
    await page.locator('article.message[data-state=waiting], article.message[data-state=sending]').waitFor();

    await hub.start();
    await mara.post(general, 'from elsewhere');
    // The page reconnects by itself, after a growing delay.
    await connection(page).getByText('Connected').waitFor({ timeout: RECONNECT_MS_MAX });
    await page.locator('.toast').getByText('Connected again.').waitFor();
    await page.locator(`article.message[data-id="${answer.id}"][data-state=interrupted]`).waitFor();
    await page.getByText('from elsewhere').waitFor();
    await page.locator('article.message[data-state=complete]').filter({ hasText: 'written meanwhile' }).waitFor();

    const all = await stored(mara, general);
    for (const body of ['before', 'from elsewhere', 'written meanwhile']) assert.equal(count(all, body), 1, body);
    assert.equal(all.length, 4);
    const shown = await page
      .locator('main.conversation article.message')
      .evaluateAll((rows) => rows.map((row) => row.dataset.id));
    assert.deepEqual(
      shown,
      (await mara.history(general)).map(({ id }) => id),
    );
  },
);

story(
  'The hub freezes: the page detects it and continues when the hub is back',
  { ownHub: true, expected: UNREACHABLE },
  async ({ page, hub, open, general, mara }) => {
    await open();
    await connection(page).getByText('Connected').waitFor();
    // The composer is loaded from the hub.
    await composer(page).waitFor();
    hub.freeze();
    await send(page, 'into the silence');
    await page.locator('article.message[data-state=sending]').waitFor();
    hub.wake();
    await page.locator('article.message[data-state=complete]').filter({ hasText: 'into the silence' }).waitFor();
    assert.deepEqual(await stored(mara, general), ['into the silence']);
  },
);

story(
  '4. Offline I send two: they queue, survive a reload, arrive once and in order',
  { on: ['desktop', 'phone'], expected: UNREACHABLE },
  async ({ page, context, open, general, mara }) => {
    await open();
    await composer(page).waitFor();
    await context.setOffline(true);
    await send(page, 'first');
    await send(page, 'second');
    await page.locator('article.message').filter({ hasText: 'second' }).waitFor();
    assert.equal(await page.locator('article.message[data-state=waiting]').count(), 2);

    // The page can be reloaded, but posting fails.
    const isPost = (url) => url.pathname === '/messages';
    await context.route(isPost, (route) => route.abort());
    await context.setOffline(false);
    await page.reload();
    await page.locator('article.message').filter({ hasText: 'second' }).waitFor();
    assert.deepEqual(await bodies(page).allInnerTexts(), ['first', 'second']);
    assert.deepEqual(await stored(mara, general), []);

    await context.unroute(isPost);
    await page.waitForFunction(() => document.querySelectorAll('article.message[data-state=complete]').length === 2);
    assert.deepEqual(await stored(mara, general), ['first', 'second']);
    assert.deepEqual(await bodies(page).allInnerTexts(), ['first', 'second']);
  },
);

story(
  'A message whose response is lost is stored once',
  { expected: UNREACHABLE },
  async ({ page, context, open, general, mara }) => {
    await open();
    let lost = 0;
    await context.route(
      (url) => url.pathname === '/messages',
      async (route) => {
        if (lost > 0) return route.fallback();
        lost += 1;
        await route.fetch();
        return route.abort();
      },
    );
    await send(page, 'heard, but not confirmed');
    await page.locator('article.message[data-state=complete]').waitFor();
    await send(page, 'and then this');
    await page.locator('article.message[data-state=complete]').nth(1).waitFor();
    assert.equal(lost, 1);
    assert.deepEqual(await stored(mara, general), ['heard, but not confirmed', 'and then this']);
    assert.equal(await page.locator('article.message').count(), 2);
  },
);

story(
  '5. A refused message stays with its reason; I edit and resend it',
  { on: ['desktop', 'phone'], expected: [/the server responded with a status of 4\d\d/] },
  async ({ page, open, general, mara }) => {
    await open();
    // Control characters are refused; they come from pasted terminal output.
    await send(page, 'Ring the bell \u0007');
    const refused = page.locator('article.message[data-state=refused]');
    await refused.getByText(/Not sent: .+/).waitFor();
    assert.deepEqual(await stored(mara, general), []);
    await page.reload();
    await refused.getByText(/Not sent: .+/).waitFor();

    await refused.getByRole('button', { name: 'Edit' }).click();
    await refused.waitFor({ state: 'detached' });
    assert.equal(await composer(page).inputValue(), 'Ring the bell \u0007');
    await composer(page).fill('Ring the bell');
    await composer(page).press('Enter');
    await page.locator('article.message[data-state=complete]').getByText('Ring the bell').waitFor();
    assert.deepEqual(await stored(mara, general), ['Ring the bell']);
  },
);
