/** First start, sign-in, palette, search, settings, keyboard, themes, small screens. */
import assert from 'node:assert/strict';
import { story } from '../harness/story.mjs';

const BOTH = ['desktop', 'phone'];
const PASSWORD = 'seven swans a-swimming';

const field = (page) => page.locator('main.conversation .composer').getByRole('textbox');
const palette = (page) => page.locator('.palette');
const lineOf = (page, name) => palette(page).getByRole('option', { name });

const addressEnds = (page, ending) => page.waitForURL((url) => url.hash.endsWith(ending));

async function typeInPalette(page, text) {
  await page.keyboard.press('Control+k');
  await palette(page).getByRole('combobox').fill(text);
}

/** Checks that the focus is visible: a ring around the element, or around the card of a field. */
async function expectVisibleFocus(page, what) {
  const isSeen = await page.evaluate(() => {
    const hasRing = (element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
    };
    const here = document.activeElement;
    const around = here?.closest('.composer-card, .palette-field, .search-field, .combobox');
    return here !== document.body && (hasRing(here) || (around !== null && hasRing(around)));
  });
  if (!isSeen) {
    const element = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
    assert.fail(`the focus cannot be seen on ${what}: ${element}`);
  }
}

/** Checks that neither the page nor a part of it scrolls horizontally. */
async function expectNoSidewaysScroll(page, what) {
  const wide = await page.evaluate(() => {
    const parts = ['html', 'main', 'nav.sidebar', '.view-body', '.message-list', '.composer', 'dialog[open]'];
    const isWide = (element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0;
    return parts.flatMap((selector) => [...document.querySelectorAll(selector)].filter(isWide).map(() => selector));
  });
  assert.deepEqual(wide, [], `${what} is wider than the screen`);
}

story('1. First start', { ownHub: true, signedIn: false, on: BOTH }, async ({ page, hub, expectAccessible }) => {
  await page.goto(hub.link);
  const welcome = page.getByRole('dialog', { name: 'Welcome' });
  await welcome.getByLabel('What is your name?').waitFor();
  await expectAccessible('the welcome');
  // By keyboard: the field has the focus, Enter continues.
  await page.keyboard.type('Ida');
  await page.keyboard.press('Enter');
  await welcome.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.querySelector('.composer textarea')?.value === '@Guide what can you do?');
  await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'));
  assert.equal(await page.locator('.conversation-bar').getByText('general').count(), 1);
  await page.keyboard.press('Enter');
  const mine = page.locator('article.message.user-message', { hasText: 'what can you do?' });
  await mine.waitFor();
  await page.locator('article.message.assistant-message[data-state=complete]').last().waitFor();
  await page.locator('nav.sidebar').getByText('Ida').waitFor({ state: 'attached' });
  await page.reload();
  await mine.waitFor();
  assert.equal(await welcome.count(), 0, 'the welcome is shown once');
});

story('1. The welcome can wait', { ownHub: true, signedIn: false }, async ({ page, hub }) => {
  await page.goto(hub.link);
  await page.getByRole('button', { name: 'Later' }).click();
  await page.locator('main.conversation').waitFor();
  await page.reload();
  await page.locator('main.conversation').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
});

story('23. The palette opens conversations, members, commands and messages', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  const release = await people.channel(project, 'release', { topic: 'Ship 0.4' });
  const tobias = await people.person('Tobias');
  await people.admin.send(`/projects/${project.id}/people`, { person_id: tobias.id });
  const said = await mara.post(release, 'The quick epoch change is done');
  await open(general);

  // A channel.
  await typeInPalette(page, 'rele');
  await lineOf(page, /release/).waitFor();
  await expectAccessible('the palette');
  await page.keyboard.press('Enter');
  await addressEnds(page, `/c/${release.id}`);
  await palette(page).waitFor({ state: 'detached' });

  // A person.
  await typeInPalette(page, '@tob');
  await lineOf(page, /Tobias/).click();
  await page.waitForURL(/\/c\/dm_/);

  // A message.
  await typeInPalette(page, 'quick epoch');
  await lineOf(page, /The quick epoch change/).click();
  await addressEnds(page, `/m/${said.id}`);
  await page.locator(`article.message[data-id="${said.id}"]`).waitFor();

  // All messages.
  await typeInPalette(page, 'quick epoch');
  await lineOf(page, /Search all messages/).click();
  await page.getByRole('link', { name: /quick epoch change/ }).waitFor();

  // A command.
  await typeInPalette(page, '>light');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  assert.equal(await palette(page).count(), 0);
});

story('23. Escape closes the palette and returns the focus', {}, async ({ page, open, general }) => {
  await open(general);
  await field(page).fill('half a sentence');
  await page.keyboard.press('Control+k');
  await palette(page).waitFor();
  await page.keyboard.press('Escape');
  await palette(page).waitFor({ state: 'detached' });
  await page.keyboard.type(' more');
  assert.equal(await field(page).inputValue(), 'half a sentence more');
});

story('I search, move through the results by keyboard, and open one', { on: BOTH }, async (scene) => {
  const { page, people, project, general, mara, expectAccessible } = scene;
  const agent = await people.agent(project, 'Coder');
  await mara.post(general, 'The ledger <b>holds</b> the epoch');
  const wanted = await agent.post(general, 'Nothing reads the epoch from the ledger');
  await page.goto(`/#/search?q=${encodeURIComponent('ledger epoch')}`);
  const results = page.getByRole('list', { name: 'Results' }).getByRole('link');
  await results.nth(1).waitFor();
  await expectAccessible('the results of a search');
  assert.match(await results.nth(1).textContent(), /The ledger <b>holds<\/b> the epoch/);
  await page.getByLabel('Search messages').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await addressEnds(page, `/m/${wanted.id}`);
  await page.locator(`article.message[data-id="${wanted.id}"]`).waitFor();
  await page.goBack();
  await results.nth(1).waitFor();
  await page.getByLabel('Search messages').fill('nobody ever said this');
  await page.getByText('No messages match all of these words.').waitFor();
  await expectAccessible('a search without results');
});

story('I change my name, my password and the appearance', { on: BOTH, expected: [/40[019]/] }, async (scene) => {
  const { page, people, visit, expectAccessible } = scene;
  const ida = await people.person(`Ida ${Date.now()}`);
  const { page: hers } = await visit(ida);
  await hers.goto('/#/settings');
  await hers.getByRole('heading', { name: 'Settings' }).waitFor();
  await expectAccessible('the settings', hers);
  await hers.getByLabel('Name').fill('Mara');
  await hers.getByRole('button', { name: 'Save name' }).click();
  await hers.getByRole('alert').filter({ hasText: 'PARLOUR-' }).waitFor();
  const name = `${ida.name} K`;
  await hers.getByLabel('Name').fill(name);
  await hers.getByRole('button', { name: 'Save name' }).click();
  await hers.locator('.toast', { hasText: name }).waitFor();
  await hers.getByText('Set or change the password').click();
  await hers.getByLabel('New password').fill(PASSWORD);
  await hers.getByRole('button', { name: 'Set password' }).click();
  await hers.locator('.toast', { hasText: 'Your password is set.' }).waitFor();
  await hers.getByText('One column').click();
  await hers.waitForFunction(() => document.documentElement.dataset.columns === 'one');
  await hers.reload();
  await hers.waitForFunction(() => document.documentElement.dataset.columns === 'one');
  // The new name and password sign in.
  await hers.getByRole('button', { name: 'Sign out' }).click();
  await hers.getByRole('heading', { name: 'Sign in' }).waitFor();
  await hers.getByLabel('Name', { exact: true }).fill(name);
  await hers.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await hers.keyboard.press('Enter');
  await hers.getByRole('heading', { name: 'Settings' }).waitFor();
  await page.goto('/');
});

story('27. Keyboard only', {}, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  await people.agent(project, 'Coder');
  await mara.postMany(
    general,
    Array.from({ length: 60 }, (_, index) => `Line ${index}`),
  );
  await open(general);
  await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'));
  await expectVisibleFocus(page, 'the composer');

  // 14: a mention.
  await page.keyboard.type('@cod');
  await page.getByRole('option', { name: /Coder/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.keyboard.type('look at this');
  await page.keyboard.press('Enter');
  await page.locator('article.message', { hasText: 'look at this' }).waitFor();

  // 7: up into the messages, and back to the newest.
  // From the composer round: no pane, so the sidebar, then the messages.
  await page.keyboard.press('F6');
  assert.ok(await inside(page, 'nav.sidebar'), 'F6 leads to the sidebar');
  await page.keyboard.press('F6');
  assert.ok(await inside(page, '.message-list'), 'F6 leads to the messages');
  for (let step = 0; step < 30; step += 1) await page.keyboard.press('k');
  await expectVisibleFocus(page, 'a message');
  await page.locator('.to-newest').waitFor();
  await page.keyboard.press('End');
  await page.locator('.to-newest').waitFor({ state: 'detached' });

  // The list of shortcuts; the focus returns to the message.
  await page.keyboard.press('k');
  const before = await page.evaluate(() => document.activeElement?.getAttribute('data-id'));
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
  await expectAccessible('the sheet of shortcuts');
  await expectVisibleFocus(page, 'the sheet');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('data-id')), before);

  // Two letters, one after the other.
  await page.keyboard.press('g');
  await page.keyboard.press('p');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();

  // Every tab stop has a visible focus.
  await page.evaluate(() => document.activeElement?.blur());
  const stops = [];
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120));
    if (stop === '<body>' || (await page.evaluate(() => document.activeElement === document.body))) break;
    await expectVisibleFocus(page, stop);
    stops.push(stop);
  }
  assert.ok(stops.length > 8, `only ${stops.length} stops`);

  // A menu: open, move, leave.
  await page.locator('nav.sidebar .project-button').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  await page.keyboard.press('End');
  await expectVisibleFocus(page, 'an entry of the menu');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  assert.ok(await page.evaluate(() => document.activeElement?.matches('.project-button')));
});

const inside = (page, selector) =>
  page.evaluate((wanted) => document.activeElement?.closest(wanted) !== null, selector);

story('28. Themes', { on: BOTH }, async ({ page, open, general, mara, expectAccessible }) => {
  await mara.post(general, 'Hello');
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await open(general);
  const dark = await ground();
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await ground();
  assert.notEqual(light, dark, 'the system decides');
  await page.goto('/#/settings');
  await page.getByLabel('Dark', { exact: true }).check();
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
  assert.equal(await ground(), dark, 'the choice goes before the system');
  await page.reload();
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  assert.equal(await ground(), dark, 'the choice is kept');
  await expectAccessible('the settings, dark by choice');
  await page.goto('/docs');
  assert.equal(
    await page.evaluate(() => document.documentElement.dataset.theme),
    'dark',
    'and it holds for the documentation',
  );
  await page.goto('/#/settings');
  await page.getByLabel('Light', { exact: true }).check();
  await expectAccessible('the settings, light by choice');
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.equal(await ground(), light);
  await page.getByLabel('System', { exact: true }).check();
  assert.equal(await ground(), dark);
});

story('28. Reduced motion stops animations', { motion: 'reduce' }, async ({ page, open, people, project, general }) => {
  const coder = await people.agent(project, 'Coder');
  const answer = await coder.stream(general);
  await answer.step('s1', 'cargo test');
  await answer.chunk('Looking at it');
  await open(general);
  await page.getByText('Looking at it').waitFor();
  const moving = await page.evaluate(() =>
    document
      .getAnimations()
      .filter((one) => one.playState === 'running' && one.effect.getComputedTiming().endTime > 100)
      .map((one) => one.animationName ?? one.id),
  );
  assert.deepEqual(moving, []);
});

/** 200 % on a screen of 1280 is a page of 640 points; 320 is the narrowest that must hold. */
const SMALL = [
  { viewport: { width: 640, height: 480 }, deviceScaleFactor: 2 },
  { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
];

for (const screen of SMALL) {
  const { width } = screen.viewport;
  story(`28. Everything is reached on ${width} points`, { minutes: 2 }, async (scene) => {
    const { people, project, general, mara, visit, expectAccessible } = scene;
    await people.agent(project, 'Coder');
    await mara.post(
      general,
      `A long word ${'x'.repeat(200)} and \`code\`\n\n| a | b | c |\n|---|---|---|\n| 1 | 2 | 3 |`,
    );
    const { page } = await visit(mara, { screen });
    await page.goto(`/#/p/${project.id}/c/${general.id}`);
    await page.locator('article.message').first().waitFor();
    await expectNoSidewaysScroll(page, 'the conversation');
    await expectAccessible(`the conversation on ${width} points`, page);
    await field(page).fill('It fits');
    await page.locator('.composer button[type=submit]').click();
    await page.locator('article.message', { hasText: 'It fits' }).waitFor();
    for (const [address, title] of [
      ['/#/settings', 'Settings'],
      ['/#/search?q=fits', 'Search'],
    ]) {
      await page.goto(address);
      await page.getByRole('heading', { name: title, exact: true }).waitFor();
      await expectNoSidewaysScroll(page, title);
      await expectAccessible(`${title} on ${width} points`, page);
    }
    await page.goto('/#/settings');
    const out = page.getByRole('button', { name: 'Sign out' });
    await out.scrollIntoViewIfNeeded();
    assert.ok(await out.isVisible());
    await page.getByRole('button', { name: 'Show the shortcuts' }).click();
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor();
    await expectNoSidewaysScroll(page, 'the sheet');
    await expectAccessible(`the sheet on ${width} points`, page);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.keyboard.press('Control+k');
    await palette(page).getByRole('combobox').waitFor();
    await expectNoSidewaysScroll(page, 'the palette');
    await expectAccessible(`the palette on ${width} points`, page);
  });
}

story('29. The session ends', { on: BOTH, expected: [/401/, /WebSocket/] }, async (scene) => {
  const { page, context, hub, people, open, general, mara, expectAccessible } = scene;
  await people.admin.call('PUT', `/people/${mara.id}/password`, { password: PASSWORD });
  // A new password has signed all browsers out.
  await people.signIn(context, mara);
  await mara.post(general, 'Before');
  await open(general);
  await page.getByText('Before').waitFor();
  await field(page).fill('half a thought');
  await page.waitForFunction(() =>
    Object.keys(localStorage).some((key) => localStorage[key].includes('half a thought')),
  );
  const address = page.url();
  await context.request.post(`${hub.url}/sign-out`, { headers: { origin: hub.url } });
  await page.getByText('Your session has ended. What you typed is kept.').waitFor();
  await expectAccessible('the sign-in after a session');
  assert.equal(await page.getByLabel('Name').inputValue(), 'Mara');
  await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password');
  await page.keyboard.type('not my password');
  await page.keyboard.press('Enter');
  await page.getByText('Wrong name or password.').waitFor();
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Before').waitFor();
  assert.equal(page.url(), address, 'the place is the same');
  assert.equal(await field(page).inputValue(), 'half a thought');
  await field(page).press('Enter');
  await page.locator('article.message[data-state=complete]', { hasText: 'half a thought' }).waitFor();
});
