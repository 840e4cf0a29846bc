/** The composer: mentions, files, drafts, commands, and refused messages. */
import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { story } from '../harness/story.mjs';

const BOTH = ['desktop', 'phone'];
const FILE_BYTES_MAX = 50 * 1024 * 1024;
/** A picture of one blue point. */
const POINT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPj/HwADBwIAMCbHYQAAAABJRU5ErkJggg==',
  'base64',
);

const composer = (page) => page.locator('main.conversation .composer');
const field = (page) => composer(page).getByRole('textbox');
const option = (page, name) => page.getByRole('option', { name });
const picture = (name) => ({ name, mimeType: 'image/png', buffer: POINT });

/** Waits until the field contains exactly this text. */
async function holds(page, text) {
  await page.waitForFunction(
    (wanted) => document.querySelector('main.conversation .composer textarea')?.value === wanted,
    text,
  );
}

/** Waits until a message with this text is stored, and returns it. */
async function stored(page, member, conversation, text) {
  await page.locator('article.message[data-state=complete]', { hasText: text }).first().waitFor();
  const messages = await member.history(conversation);
  const message = messages.find(({ body }) => body.includes(text));
  assert.ok(message, `the hub has no message with ${text}`);
  return message;
}

story('14. I mention by keyboard and mouse', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  const [coder, reviewer] = [await people.agent(project, 'Coder'), await people.agent(project, 'Code Reviewer')];
  await coder.present('working');
  await open(general);
  await field(page).click();
  await field(page).pressSequentially('Please @code');
  await option(page, /^C?Coder.*working/).waitFor();
  await expectAccessible('the list of members');
  assert.match(await field(page).getAttribute('aria-activedescendant'), /-0$/);
  assert.equal(await page.getByRole('option', { selected: true }).count(), 1);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  // Online members come first.
  await page.keyboard.press('Enter');
  await holds(page, 'Please @Coder ');
  await field(page).pressSequentially('and @REV');
  await option(page, /Code Reviewer/).click();
  await holds(page, 'Please @Coder and @Code Reviewer ');
  await field(page).pressSequentially('look at it');
  await page.keyboard.press('Enter');
  await holds(page, '');
  const { mentions } = await stored(page, mara, general, 'look at it');
  assert.deepEqual(mentions.toSorted(), [coder.id, reviewer.id].toSorted());
});

story('14. An unknown name shows candidates', { on: BOTH }, async ({ page, open, people, project, general, mara }) => {
  const coder = await people.agent(project, 'Coder');
  await open(general);
  await field(page).fill('@Codr please look');
  await composer(page).getByText('Nobody here is called @Codr.').waitFor();
  await composer(page).getByRole('button', { name: 'Coder?' }).click();
  await holds(page, '@Coder please look');
  await composer(page).getByText('Nobody here').waitFor({ state: 'detached' });
  await composer(page).getByRole('button', { name: 'Send' }).click();
  const { mentions } = await stored(page, mara, general, 'please look');
  assert.deepEqual(mentions, [coder.id]);
});

story('14. Members who cannot read a private channel are marked and come last', {}, async (scene) => {
  const { page, open, people, project, mara } = scene;
  const inside = await people.agent(project, 'Zeta');
  await people.agent(project, 'Alpha');
  const secret = await people.channel(project, 'secret', { visibility: 'private' }, mara);
  await mara.send(`/channels/${secret.id}/members`, { member_id: inside.id });
  await open(secret);
  await field(page).pressSequentially('@');
  await option(page, /Alpha.*not in this channel/).waitFor();
  const names = await page.getByRole('option').allTextContents();
  const place = (name) => names.findIndex((text) => text.includes(name));
  assert.ok(place('Zeta') < place('Alpha'), names.join(' | '));
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await holds(page, '@');
});

story('15. I paste, drop and pick images, remove one, and see progress', { on: BOTH }, async (scene) => {
  const { page, open, general, mara, expectAccessible } = scene;
  await open(general);
  await field(page).click();
  await pasteFile(page, 'pasted.png');
  await composer(page)
    .getByRole('button', { name: /Remove pasted.png/ })
    .waitFor();
  await dropFile(page, 'dropped.png');
  await composer(page)
    .getByRole('button', { name: /Remove dropped.png/ })
    .waitFor();
  const gate = await holdUploads(page);
  await composer(page)
    .locator('input[type=file]')
    .setInputFiles([picture('picked.png')]);
  await composer(page).getByRole('progressbar', { name: 'Uploading picked.png' }).waitFor();
  await field(page).fill('Three pictures');
  await composer(page).getByRole('button', { name: 'Send' }).click();
  await composer(page).getByText('Sends when the upload is done.').waitFor();
  await expectAccessible('a message that waits for its file');
  await composer(page)
    .getByRole('button', { name: /Remove dropped.png/ })
    .click();
  gate.open();
  await holds(page, '');
  const message = await stored(page, mara, general, 'Three pictures');
  const names = message.attachments.map(({ filename }) => filename);
  assert.deepEqual(names, ['pasted.png', 'picked.png']);
});

story('15. A file that is too large is refused before it is uploaded', {}, async ({ page, open, general, mara }) => {
  const uploads = [];
  page.on('request', (request) => request.url().includes('/artifacts') && uploads.push(request.url()));
  const folder = await mkdtemp(path.join(tmpdir(), 'parlour-large-'));
  const film = path.join(folder, 'film.mp4');
  const file = await openFile(film, 'w');
  await file.truncate(FILE_BYTES_MAX + 1);
  await file.close();
  await open(general);
  await composer(page).locator('input[type=file]').setInputFiles(film);
  await composer(page)
    .getByText(/Too large: .* The limit is 50 MB/)
    .waitFor();
  await rm(folder, { recursive: true });
  await field(page).fill('Without the film');
  assert.ok(await composer(page).getByRole('button', { name: 'Send' }).isDisabled());
  await composer(page)
    .getByRole('button', { name: /Remove film.mp4/ })
    .click();
  await field(page).press('Enter');
  await stored(page, mara, general, 'Without the film');
  assert.deepEqual(uploads, []);
});

story('15. A cancelled upload is dropped', {}, async ({ page, open, general }) => {
  await open(general);
  await holdUploads(page);
  await composer(page)
    .locator('input[type=file]')
    .setInputFiles([picture('slow.png')]);
  const stopped = page.waitForEvent('requestfailed', (request) => request.url().includes('/artifacts'));
  await composer(page)
    .getByRole('button', { name: /Remove slow.png/ })
    .click();
  await stopped;
  await composer(page).locator('.attachment').waitFor({ state: 'detached' });
});

story('16. Drafts stay per conversation over reload; Esc clears, undo restores', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general } = scene;
  const release = await people.channel(project, 'release');
  await open(general);
  await field(page).fill('For general,\nnot sent yet');
  await composer(page).getByRole('button', { name: 'Ask and wait' }).click();
  await composer(page)
    .locator('input[type=file]')
    .setInputFiles([picture('plan.png')]);
  await composer(page).locator('.attachment progress').waitFor({ state: 'detached' });
  await open(release);
  await holds(page, '');
  await field(page).fill('For release');
  await open(general);
  await holds(page, 'For general,\nnot sent yet');
  await page.reload();
  await holds(page, 'For general,\nnot sent yet');
  await composer(page).getByRole('button', { name: 'Ask and wait', pressed: true }).waitFor();
  await composer(page)
    .getByRole('button', { name: /Remove plan.png/ })
    .waitFor();
  await field(page).press('Escape');
  await holds(page, '');
  await composer(page).locator('.attachment').waitFor({ state: 'detached' });
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click();
  await holds(page, 'For general,\nnot sent yet');
  await composer(page)
    .getByRole('button', { name: /Remove plan.png/ })
    .waitFor();
  await open(release);
  await holds(page, 'For release');
});

story('16. The channel and the thread beside it have separate drafts', {}, async (scene) => {
  const { page, open, general, mara } = scene;
  const root = await mara.post(general, 'A question');
  const thread = await mara.thread(root);
  await open(general, { pane: `thread:${thread.id}` });
  const inThread = page.locator('aside.pane .composer').getByRole('textbox');
  await inThread.fill('In the thread');
  await field(page).fill('In the channel');
  assert.equal(await inThread.inputValue(), 'In the thread');
  await inThread.press('Enter');
  await page.locator('aside.pane article.message', { hasText: 'In the thread' }).waitFor();
  await holds(page, 'In the channel');
});

story(
  '5. A refused message comes back to the composer, and I send it again',
  {
    expected: [/409/],
  },
  async ({ page, open, people, project, general, mara }) => {
    await Promise.all(['Coder', 'Reviewer'].map((name) => people.agent(project, name)));
    await open(general);
    await field(page).fill('@everyone the release is out');
    await field(page).press('Enter');
    await holds(page, '');
    const refused = page.locator('article.message', { hasText: 'the release is out' });
    await refused.getByRole('button', { name: 'Edit' }).click();
    await holds(page, '@everyone the release is out');
    assert.ok(await field(page).evaluate((element) => element === document.activeElement));
    await field(page).fill('The release is out, everyone');
    await field(page).press('Enter');
    await stored(page, mara, general, 'The release is out, everyone');
    await page.getByText('@everyone the release is out').waitFor({ state: 'detached' });
  },
);

story('27. I write with the keyboard alone', {}, async ({ page, open, people, project, general, mara }) => {
  await people.agent(project, 'Coder');
  await open(general);
  // Opening a conversation focuses the composer.
  await page.waitForFunction(() => document.activeElement?.matches('.composer textarea'));
  await page.keyboard.type('@cod');
  await option(page, /Coder/).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('first');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second');
  for (const name of ['Attach files', 'Mention someone', 'Importance: Normal']) {
    await page.keyboard.press('Tab');
    assert.equal(await focusedName(page), name);
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('menuitemradio', { name: /High/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await focusedName(page), 'Importance: High');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await holds(page, '');
  assert.ok(await field(page).evaluate((element) => element === document.activeElement));
  const message = await stored(page, mara, general, 'first');
  assert.equal(message.body, '@Coder first\nsecond');
  assert.equal(message.importance, 'high');
  // Up in an empty field edits what was just sent.
  await page.keyboard.press('ArrowUp');
  await page.waitForFunction(() => document.activeElement?.matches('article.message textarea'));
});

story('Slash commands work, and paths are sent as text', { on: BOTH }, async (scene) => {
  const { page, open, people, project, general, mara, expectAccessible } = scene;
  const coder = await people.agent(project, 'Coder');
  await open(general);
  await field(page).pressSequentially('/');
  await page.getByRole('listbox').waitFor();
  await expectAccessible('the list of commands');
  await field(page).fill('/usr/bin is a path');
  await field(page).press('Enter');
  await stored(page, mara, general, '/usr/bin is a path');
  await field(page).fill('/critical The hub is down');
  await field(page).press('Enter');
  assert.equal((await stored(page, mara, general, 'The hub is down')).importance, 'critical');
  await field(page).fill('/nope what');
  await composer(page).getByText('Unknown command /nope').waitFor();
  await field(page).fill('/help');
  await field(page).press('Enter');
  await page.getByRole('dialog', { name: 'Commands' }).waitFor();
  await expectAccessible('the help for commands');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await field(page).fill('/dm Coder hello you');
  await field(page).press('Enter');
  await page.locator('article.message', { hasText: 'hello you' }).waitFor();
  assert.match(page.url(), /\/c\/dm_/);
  const dm = page.url().match(/dm_[\w-]+/)[0];
  const [message] = await coder.history(dm);
  assert.equal(message.body, 'hello you');
});

story('The composer grows with the text up to a limit and never cuts it', { on: BOTH }, async (scene) => {
  const { page, open, general, mara } = scene;
  await mara.postMany(
    general,
    Array.from({ length: 40 }, (_, number) => `Message ${number}`),
  );
  await open(general);
  const list = page.locator('.message-list');
  await list.getByText('Message 39').waitFor();
  const small = await field(page).boundingBox();
  await field(page).fill('line\n'.repeat(200));
  const large = await field(page).boundingBox();
  const height = page.viewportSize().height;
  assert.ok(large.height > small.height * 3 && large.height <= height * 0.4 + 1, `${large.height} of ${height}`);
  await field(page).fill('x'.repeat(66_000));
  await composer(page).getByText('464 characters too long to send').waitFor();
  assert.ok(await composer(page).getByRole('button', { name: 'Send' }).isDisabled());
  assert.equal((await field(page).inputValue()).length, 66_000);
  await field(page).fill('x');
  assert.equal((await field(page).boundingBox()).height, small.height);
});

function focusedName(page) {
  return page.evaluate(() => {
    const { ariaLabel, textContent } = document.activeElement;
    return ariaLabel ?? textContent;
  });
}

/** Pastes an image into the field. */
async function pasteFile(page, name) {
  await field(page).evaluate(
    (element, { name: fileName, bytes }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], fileName, { type: 'image/png' }));
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    },
    { name, bytes: [...POINT] },
  );
}

/** Drops an image on the messages. */
async function dropFile(page, name) {
  const data = await page.evaluateHandle(
    ({ name: fileName, bytes }) => {
      const made = new DataTransfer();
      made.items.add(new File([new Uint8Array(bytes)], fileName, { type: 'image/png' }));
      return made;
    },
    { name, bytes: [...POINT] },
  );
  const target = page.locator('main.conversation .conversation-bar');
  await target.dispatchEvent('dragenter', { dataTransfer: data });
  await target.dispatchEvent('dragover', { dataTransfer: data });
  await page.getByText(/Drop files to attach them to #general/).waitFor();
  await target.dispatchEvent('drop', { dataTransfer: data });
  await page.locator('.drop-zone').waitFor({ state: 'detached' });
}

/** Delays uploads until the returned function is called. */
async function holdUploads(page) {
  let release;
  const opened = new Promise((resolve) => {
    release = resolve;
  });
  await page.route(/\/artifacts\?/, async (route) => {
    await opened;
    await route.fallback();
  });
  return { open: release };
}
