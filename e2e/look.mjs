// Takes pictures of the page with a demo project in it: `node look.mjs OUT [view …]`.
//
// Each view is pictured on desktop and phone, dark and light: OUT/<view>-<screen>-<theme>.png.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { closeBrowser, newContext } from './harness/browser.mjs';
import { makeDemo } from './harness/demo.mjs';
import { startHub } from './harness/hub.mjs';
import { administrator, People } from './harness/people.mjs';
import { VIEWS } from './harness/views.mjs';

const [out, ...wanted] = process.argv.slice(2);
if (!out || wanted.some((name) => !(name in VIEWS))) {
  console.error(`usage: node look.mjs OUT [view …]\nviews: ${Object.keys(VIEWS).join(' ')}`);
  process.exit(2);
}
await mkdir(out, { recursive: true });
const hub = await startHub();
const people = new People(await administrator(hub));
const demo = await makeDemo(people);
const beat = setInterval(() => demo.running.beat().catch(() => undefined), 10_000);
for (const screen of ['desktop', 'phone']) {
  for (const theme of ['dark', 'light']) await lookAround(screen, theme);
}
clearInterval(beat);
await closeBrowser();
await hub.stop();

/** Opens all views; a view that fails is reported and does not stop the others. */
async function lookAround(screen, theme) {
  const names = wanted.length > 0 ? wanted : Object.keys(VIEWS);
  for (const name of names) {
    const { signedIn = true, show } = VIEWS[name];
    const context = await newContext(hub, { screen, theme });
    context.setDefaultTimeout(5_000);
    if (signedIn) await people.signIn(context, demo.mara);
    const page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && console.log(`    ${message.text()}`));
    page.on('pageerror', (error) => console.log(`    ${error.stack}`));
    const file = path.join(out, `${name}-${screen}-${theme}.png`);
    const problem = await show({ page, demo, screen }).then(
      () => '',
      (error) => error.message.split('\n')[0],
    );
    await page.screenshot({ path: file });
    console.log(`${file}${problem ? `  NOT REACHED: ${problem}` : ''}`);
    await context.close();
  }
}
