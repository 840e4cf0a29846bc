/** The measured setup: one hub, a channel with 10,000 messages, one with 50, and a visitor. */
import { newContext } from '../harness/browser.mjs';
import { startHub } from '../harness/hub.mjs';
import { addressOf, administrator, People } from '../harness/people.mjs';
import { addProbe } from './probe.mjs';
import { mixedMessage } from './texts.mjs';

/** Each of these scrolls loads one page of history; far more than 10,000 messages need. */
const SCROLLS_MAX = 400;

export async function makeRoom(size = 10_000) {
  const hub = await startHub();
  const people = new People(await administrator(hub));
  const mara = await people.person('Mara');
  const tobias = await people.person('Tobias');
  const project = await people.project('Figures', [mara, tobias]);
  const agent = await people.agent(project, 'Writer');
  const bodies = Array.from({ length: size }, (_, index) => mixedMessage(index));
  const large = await people.channel(project, 'large');
  await tobias.postMany(large, bodies);
  const small = await people.channel(project, 'small');
  await tobias.postMany(small, bodies.slice(0, 50));
  const others = [];
  for (const name of ['one', 'two', 'three']) {
    const channel = await people.channel(project, name);
    await tobias.postMany(channel, bodies.slice(0, 120));
    others.push(channel);
  }
  return {
    hub,
    people,
    mara,
    tobias,
    agent,
    project,
    large,
    small,
    others,
    size,
    bytes: Buffer.byteLength(bodies.join('')),
  };
}

/** Opens a channel at its end. */
export async function visit(room, channel, look = {}) {
  const context = await newContext(room.hub, { motion: 'no-preference', ...look });
  await addProbe(context);
  await room.people.signIn(context, room.mara);
  const page = await context.newPage();
  await page.goto(addressOf(room.project, channel));
  await page.locator('article.message').last().waitFor();
  return page;
}

/** Scrolls up to the first message, so that all are loaded, then back to the newest. */
export async function loadAll(page) {
  for (let scroll = 0; await page.evaluate(readUpwards); scroll += 1) {
    if (scroll === SCROLLS_MAX) throw new Error(`the beginning was not reached after ${SCROLLS_MAX} scrolls`);
  }
  await toNewest(page);
}

/** Scrolls to the top and waits for older messages; returns false at the start of the conversation. */
async function readUpwards() {
  const scroller = window.probe.scroller();
  const before = scroller.scrollHeight;
  scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1000, bubbles: true }));
  scroller.scrollTop = 0;
  const deadline = performance.now() + 1500;
  while (performance.now() < deadline) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (scroller.scrollHeight > before + 500) return true;
  }
  return false;
}

/** By key, like a reader; following starts. */
export async function toNewest(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('End');
  await page.waitForFunction(() => {
    const { scrollHeight, clientHeight, scrollTop } = window.probe.scroller();
    return scrollHeight - clientHeight - scrollTop <= 1;
  });
}

/** By wheel, like a reader; following ends. */
export async function scrollUp(page, pixels) {
  await page.locator('main.conversation .message-list').hover();
  await page.mouse.wheel(0, -pixels);
  await page.waitForFunction(() => {
    const { scrollHeight, clientHeight, scrollTop } = window.probe.scroller();
    return scrollHeight - clientHeight - scrollTop > 100;
  });
}
