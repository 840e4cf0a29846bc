/** Measures movement when older messages load, and when an own message is stored. */

import { visit } from './fixture.mjs';
import { during, movementOf, shiftOf } from './probe.mjs';
import { firstSeen, whatShifted } from './streaming.mjs';

/** Maximum scroll steps until older messages are requested. */
const TURNS_MAX = 200;

export async function measureStillness(room) {
  const page = await visit(room, room.large);
  const rows = [...(await measurePrepend(room, page)), ...(await measureSettle(page))];
  await page.context().close();
  return rows;
}

/**
 * Delays older messages until scrolling has stopped, so that only their arrival can move something. First where the
 * list preloads them, then at the very top, for a reader who was faster than the hub.
 */
async function measurePrepend(room, page) {
  const rows = [];
  for (const [where, scroll] of [
    ['ahead of the reader', scrollUntilAsked],
    ['for a reader who waits at the top', scrollToTop],
  ]) {
    const { moved, shifts } = await prependAfter(room, page, scroll);
    rows.push(
      { what: `history arrives ${where}: layout shift`, value: shiftOf(shifts), max: 0, note: whatShifted(shifts) },
      { what: `history arrives ${where}: the line moved`, value: moved, unit: 'px', max: 0 },
    );
  }
  return rows;
}

async function prependAfter(room, page, scroll) {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  const isHistory = (url) => url.pathname.endsWith(`/${room.large.id}/messages`);
  await page.route(isHistory, async (route) => {
    isAsked = true;
    await held;
    await route.continue();
  });
  await page.locator('main.conversation .message-list').hover();
  await scroll(page, () => isAsked);
  await stillness(page);
  const anchor = await firstSeen(page);
  const before = await page.evaluate(() => window.probe.scroller().scrollHeight);
  let moved;
  const { shifts } = await during(page, async () => {
    moved = await movementOf(page, anchor, async () => {
      release();
      await page.waitForFunction((height) => window.probe.scroller().scrollHeight > height + 500, before);
    });
  });
  await page.unroute(isHistory);
  return { moved, shifts };
}

async function scrollUntilAsked(page, isAsked) {
  for (let turn = 0; turn < TURNS_MAX && !isAsked(); turn += 1) {
    await page.mouse.wheel(0, -300);
    await stillness(page);
  }
}

async function scrollToTop(page) {
  await page.mouse.wheel(0, -200);
  await page.evaluate(() => {
    window.probe.scroller().scrollTop = 0;
  });
}

/** Waits until nothing has moved for a few frames and recent input no longer excuses layout shifts. */
function stillness(page) {
  return page.evaluate(async () => {
    const scroller = window.probe.scroller();
    const begun = performance.now();
    let still = 0;
    for (let last = -1; still < 5 || performance.now() - begun < 600; last = scroller.scrollTop) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = scroller.scrollTop === last ? still + 1 : 0;
    }
  });
}

/** An own message is shown at once and later replaced by the stored one, without moving. */
async function measureSettle(page) {
  await page.keyboard.press('End');
  const field = page.locator('.composer textarea').first();
  await field.fill('A message of my own');
  const seen = await during(page, async () => {
    await field.press('Enter');
    const own = page.locator('article.message').filter({ hasText: 'A message of my own' }).last();
    await own.waitFor();
    const moved = await movementOf(page, await own.getAttribute('data-id'), () =>
      page.waitForFunction(
        () => [...document.querySelectorAll('article.message')].at(-1)?.dataset.state === 'complete',
      ),
    );
    return { moved };
  });
  return [
    {
      what: 'an own message settles: layout shift',
      value: shiftOf(seen.shifts),
      max: 0,
      note: whatShifted(seen.shifts),
    },
    { what: 'an own message settles: it moved', value: seen.result.moved, unit: 'px', max: 0 },
  ];
}
