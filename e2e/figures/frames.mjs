/** Measures scrolling through 10,000 messages, compared with a plain page in the same browser. */
import { browser, SCREENS } from '../harness/browser.mjs';
import { loadAll, visit } from './fixture.mjs';

const STEPS = 150;
const STEP_PX = 80;
/** Smaller shares are noise of the machine. */
const NOISE = 0.01;

export async function measureFrames(room) {
  const plain = await measurePlain();
  const page = await visit(room, room.large);
  await loadAll(page);
  await page.locator('main.conversation .message-list').hover();
  const list = await scrollAndCount(page);
  const elements = await page.evaluate(() => window.elementsMax);
  await page.context().close();
  const share = ({ dropped, frames }) => dropped / (dropped + frames);
  return [
    { what: 'scrolling 10,000 messages: frames dropped', value: share(list) * 100, unit: '%' },
    { what: 'scrolling a plain page: frames dropped', value: share(plain) * 100, unit: '%' },
    {
      what: 'frames dropped ÷ those of the plain page',
      value: Math.max(share(list), NOISE) / Math.max(share(plain), NOISE),
      max: 1.3,
    },
    { what: 'elements in the page while scrolling, at most', value: elements, max: 2_500 },
  ];
}

async function measurePlain() {
  const context = await (await browser()).newContext(SCREENS.desktop);
  const page = await context.newPage();
  const line = '<p>One line of a page that does nothing but scroll, as long as any other line of it.</p>';
  await page.setContent(`<!doctype html><div style="height:100vh;overflow:auto">${line.repeat(2_000)}</div>`);
  await page.mouse.move(600, 400);
  await page.evaluate(() => document.querySelector('div').scrollTo(0, 1e9));
  const counted = await scrollAndCount(page);
  await context.close();
  return counted;
}

/** Scrolls up step by step and counts presented and dropped frames. */
async function scrollAndCount(page) {
  await page.evaluate(() => {
    const count = { deltas: [], on: true };
    window.frameCount = count;
    window.elementsMax = 0;
    let last = performance.now();
    const look = (now) => {
      count.deltas.push(now - last);
      last = now;
      window.elementsMax = Math.max(window.elementsMax, document.getElementsByTagName('*').length);
      if (count.on) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  for (let step = 0; step < STEPS; step += 1) await page.mouse.wheel(0, -STEP_PX);
  return page.evaluate(() => {
    window.frameCount.on = false;
    const deltas = window.frameCount.deltas.slice(1);
    const dropped = deltas.reduce((sum, delta) => sum + Math.max(0, Math.round(delta / (1000 / 60)) - 1), 0);
    return { frames: deltas.length, dropped };
  });
}
