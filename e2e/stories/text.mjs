/** Message texts: Markdown features and hostile input. */
import assert from 'node:assert/strict';
import { HOSTILE, LONGEST } from '../harness/hostile.mjs';
import { story } from '../harness/story.mjs';

const RICH = `# Release notes

Two things stand between us and **0.4**, see [the tour](https://parlour.example/tour), \`kill -9\` and ~~nothing~~ *little* else.

| Check | State | Owner |
|:---|---|---:|
| resume after epoch change | failing | Coder |
| ledger survives \`kill -9\` | passing | Reviewer |

- [x] Budget bench under 300 ms
- [ ] Resume test green on both machines

1. First
2. Second
   - nested
   - again

> Quiet by default; loud only when it is about you.

\`\`\`rust
// The epoch is read once.
fn attach(log: &Log) -> Resume {
    Resume::Gap { from: log.first(), epoch: 41 }
}
\`\`\`

---

## Second level

### Third level

End.`;

const DIAGRAM = '```mermaid\ngraph LR\n  A[Chunk] --> B{Whole line?}\n  B -->|yes| C[Settle]\n  B -->|no| D[Tail]\n```';
const BROKEN = '```mermaid\ngraph LR\n  A[Chunk --> \n```';
/** One red pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** The text of a message, when it is there. */
async function textOf(page, message) {
  const text = page.locator(`article.message[data-id="${message.id}"] .markdown`);
  await text.waitFor({ state: 'attached' });
  return text;
}

story('12. Table, tasks and code are shown; the code can be copied', { on: ['desktop', 'phone'] }, async (scene) => {
  const { page, context, open, people, project, general, expectAccessible } = scene;
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const planner = await people.agent(project, 'Planner');
  await open();
  const text = await textOf(page, await planner.post(general, RICH));
  await text.getByRole('table').waitFor();
  await text.getByRole('checkbox', { name: 'Budget bench under 300 ms', checked: true, disabled: true }).waitFor();
  await text.getByRole('checkbox', { name: 'Resume test green', checked: false }).waitFor();
  await text.getByRole('heading', { name: 'Second level' }).waitFor();
  const link = text.getByRole('link', { name: 'the tour' });
  assert.equal(await link.getAttribute('rel'), 'noopener noreferrer nofollow');
  assert.equal(await link.getAttribute('target'), '_blank');
  await text.locator('.code-comment', { hasText: 'The epoch is read once.' }).waitFor();
  await text.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('status').filter({ hasText: 'Code copied' }).waitFor({ state: 'attached' });
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, RICH.split('```rust\n')[1].split('\n```')[0]);
  await expectAccessible('a text with everything in it');
});

story(
  '12. An image opens in the lightbox, and the focus returns to it',
  { on: ['desktop', 'phone'] },
  async (scene) => {
    const { page, open, mara, general, expectAccessible } = scene;
    const { artifact_id: id } = await mara.upload(general, 'dot.png', 'image/png', PNG);
    const address = `/artifacts/${id}/content`;
    await open();
    const text = await textOf(page, await mara.post(general, `![First](${address}) ![Second](${address})`));
    const second = text.getByRole('button', { name: 'Open image: Second' });
    await second.press('Enter');
    const lightbox = page.locator('dialog.lightbox');
    await lightbox.getByRole('img', { name: 'Second' }).waitFor();
    await lightbox.getByText('2 of 2').waitFor();
    await page.keyboard.press('ArrowRight');
    await lightbox.getByRole('img', { name: 'First' }).waitFor();
    assert.equal(await lightbox.getByRole('link', { name: 'Open in a new tab' }).getAttribute('href'), address);
    await expectAccessible('a picture shown large');
    await page.keyboard.press('Escape');
    await lightbox.waitFor({ state: 'detached' });
    assert.ok(await second.evaluate((button) => button === document.activeElement));
    await second.click();
    await lightbox.getByRole('button', { name: 'Close' }).click();
    await lightbox.waitFor({ state: 'detached' });
  },
);

story('12. A diagram is drawn, follows the theme, and shows its source; a broken one says why', {}, async (scene) => {
  const { page, open, people, project, general, expectAccessible } = scene;
  const planner = await people.agent(project, 'Planner');
  await open();
  const text = await textOf(page, await planner.post(general, `Before.\n\n${DIAGRAM}\n\nAfter.`));
  const card = text.locator('.code-card[data-shows=diagram]');
  const frame = card.frameLocator('iframe');
  await frame.getByText('Settle').waitFor();
  const fill = () =>
    frame
      .locator('svg .node rect')
      .first()
      .evaluate((rect) => getComputedStyle(rect).fill);
  const dark = await fill();
  await page.emulateMedia({ colorScheme: 'light' });
  await frame.locator('html[style*="light"]').waitFor();
  await frame.getByText('Settle').waitFor();
  assert.notEqual(await fill(), dark);
  await text.getByRole('button', { name: 'Source' }).click();
  await text.locator('pre').getByText('A[Chunk]').waitFor();
  await text.getByRole('button', { name: 'Diagram' }).click();
  await card.waitFor();
  const broken = await textOf(page, await planner.post(general, BROKEN));
  await broken.getByText('The diagram could not be drawn').waitFor();
  await broken.locator('pre').getByText('A[Chunk -->').waitFor();
  await expectAccessible('two diagrams');
});

story('12. An answer grows without moving the text above, and ends as it would be loaded', {}, async (scene) => {
  const { page, open, people, project, general } = scene;
  const planner = await people.agent(project, 'Planner');
  await open();
  const answer = await planner.stream(general);
  const text = await textOf(page, answer);
  await answer.chunk(RICH.slice(0, 60));
  await text.getByRole('heading', { name: 'Release notes' }).waitFor();
  await page.locator('#workingCursor').waitFor();
  await text.evaluate((root) => {
    window.firstBlock = root.firstElementChild;
  });
  await answer.type(RICH.slice(60), 40, 24);
  await answer.complete();
  await page.locator('.working-cursor').waitFor({ state: 'detached' });
  await text.locator('.code-comment').waitFor();
  assert.ok(await text.evaluate((root) => root.firstElementChild === window.firstBlock), 'the first block was rebuilt');
  const plainStyles = (html) => html.replace(/ style="[^"]*"/g, '');
  const live = plainStyles(await text.innerHTML());
  await page.reload();
  const loaded = await textOf(page, answer);
  await loaded.locator('.code-comment').waitFor();
  assert.equal(plainStyles(await loaded.innerHTML()), live);
});

/** Finds nodes that no text may create. */
function findForeignNodes() {
  const texts = [...document.querySelectorAll('.markdown')];
  const nodes = texts.flatMap((text) => [...text.querySelectorAll('*')]);
  const allowed = new Set(
    'P,H2,H3,H4,H5,H6,UL,OL,LI,BLOCKQUOTE,HR,DIV,TABLE,THEAD,TBODY,TR,TH,TD,PRE,CODE,SPAN,BUTTON,STRONG,EM,DEL,BR,WBR,A,IMG,LABEL,INPUT,IFRAME'.split(
      ',',
    ),
  );
  const isBad = (node) =>
    !allowed.has(node.tagName) ||
    node.getAttributeNames().some((name) => name.startsWith('on') || ['srcset', 'srcdoc', 'id'].includes(name)) ||
    (node.tagName === 'A' && !/^(https?|mailto):/.test(node.protocol)) ||
    (node.tagName === 'IMG' && !/^(\/artifacts\/|data:image\/(png|jpeg|gif|webp);)/.test(node.getAttribute('src'))) ||
    (node.tagName === 'IFRAME' &&
      ((node.getAttribute('src') ?? '/d/diagram.html') !== '/d/diagram.html' ||
        node.getAttribute('sandbox') !== 'allow-scripts'));
  return nodes.filter((node) => isBad(node) && node.id !== 'workingCursor').map((node) => node.outerHTML.slice(0, 200));
}

/** Streams a text, waits until it is shown, and clicks everything that looks like a button. */
async function writeLive(page, villain, general, body) {
  const answer = await villain.stream(general);
  const text = await textOf(page, answer);
  await answer.chunk(body.slice(0, body.length / 2));
  await answer.chunk(body.slice(body.length / 2));
  await answer.complete();
  await page.locator(`article[data-id="${answer.id}"]:not([data-state=streaming])`).waitFor({ state: 'attached' });
  for (const words of await text.getByText('press', { exact: true }).all()) {
    if ((await words.evaluate((node) => node.closest('a'))) === null) await words.click();
  }
  return answer;
}

/** Scrolls up until an older message is shown. */
async function scrollUpTo(page, message) {
  const row = page.locator(`article[data-id="${message.id}"]`);
  while ((await row.count()) === 0) {
    await page.locator('.message-list').hover();
    await page.mouse.wheel(0, -500);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    assert.deepEqual(await page.evaluate(findForeignNodes), []);
  }
}

/** Scrolls to the newest message: a reloaded page may open at the unread line. */
async function goToNewest(page, message) {
  await page.locator('article.message').first().waitFor();
  await page.locator('.message-list').press('End');
  await page.locator('.message-list[data-follows]').waitFor();
  await textOf(page, message);
}

/** Texts shown before the page is reloaded. */
const GROUP = 12;

story('13. Hostile markdown runs nothing and fetches nothing', { minutes: 6 }, async (scene) => {
  const { page, open, people, project, general, hub } = scene;
  const villain = await people.agent(project, 'Villain');
  await open();
  const times = [];
  for (let at = 0; at < HOSTILE.length; at += GROUP) {
    const answers = [];
    for (const body of HOSTILE.slice(at, at + GROUP)) {
      const begun = performance.now();
      answers.push(await writeLive(page, villain, general, body));
      times.push({ ms: performance.now() - begun, body });
    }
    assert.deepEqual(await page.evaluate(findForeignNodes), []);
    await page.reload();
    await goToNewest(page, answers.at(-1));
    await scrollUpTo(page, answers[0]);
    await goToNewest(page, answers.at(-1));
  }
  times.sort((one, other) => other.ms - one.ms);
  for (const { ms, body } of times.slice(0, 5))
    console.log(`    ${ms.toFixed(0)} ms  ${JSON.stringify(body.slice(0, 50))}`);
  assert.ok(page.url().startsWith(`${hub.url}/#/p/`));
});

story('13. The longest hostile texts leave the page responsive', { minutes: 6 }, async (scene) => {
  const { page, open, people, project, general } = scene;
  const villain = await people.agent(project, 'Villain');
  await open();
  for (const body of LONGEST) {
    const begun = performance.now();
    await writeLive(page, villain, general, body);
    console.log(`    ${(performance.now() - begun).toFixed(0)} ms  ${JSON.stringify(body.slice(0, 50))}`);
  }
  assert.deepEqual(await page.evaluate(findForeignNodes), []);
  await page.locator('.composer textarea').fill('Still here');
});
