/** Whether anything moves when history arrives above, and when an own message settles. */
import { during, movementOf, shiftOf } from './probe.mjs';
import { visit } from './room.mjs';
import { firstSeen, whatShifted } from './streaming.mjs';

export async function measureStillness(room) {
  const page = await visit(room, room.large);
  const rows = [...(await measurePrepend(room, page)), ...(await measureSettle(page))];
  await page.context().close();
  return rows;
}

/** History is held back until the reader has stopped scrolling, so that only its arrival can move something. */
async function measurePrepend(room, page) {
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  const isHistory = (url) => url.pathname.endsWith(`/${room.large.id}/messages`);
  const asked = page.waitForRequest((request) => isHistory(new URL(request.url())));
  await page.route(isHistory, async (route) => {
    await held;
    await route.continue();
  });
  await scrollToTop(page);
  await asked;
  const anchor = await firstSeen(page);
  const before = await page.evaluate(() => window.probe.scroller().scrollHeight);
  let moved;
  const seen = await during(page, async () => {
    moved = await movementOf(page, anchor, async () => {
      release();
      await page.waitForFunction((height) => window.probe.scroller().scrollHeight > height + 500, before);
    });
  });
  await page.unroute(isHistory);
  return [
    {
      what: 'history arrives above: layout shift',
      value: shiftOf(seen.shifts),
      max: 0,
      note: whatShifted(seen.shifts),
    },
    { what: 'history arrives above: the line moved', value: moved, unit: 'px', max: 0 },
  ];
}

async function scrollToTop(page) {
  await page.locator('main.conversation .message-list').hover();
  await page.mouse.wheel(0, -200);
  await page.evaluate(async () => {
    const scroller = window.probe.scroller();
    scroller.scrollTop = 0;
    let still = 0;
    for (let last = -1; still < 5; last = scroller.scrollTop) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
      still = scroller.scrollTop === last ? still + 1 : 0;
    }
  });
}

/** An own message: shown at once, then told by the hub. Its place is the same from the first frame on. */
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
