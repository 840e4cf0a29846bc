/** Measures how long each hostile text blocks the page. A story checks that none succeeds. */
import { HOSTILE } from '../harness/hostile.mjs';
import { toNewest, visit } from './fixture.mjs';
import { during } from './probe.mjs';

/** Shorter tasks are not noticeable. */
const BUSY_MS_MAX = 50;

export async function measureHostile(room) {
  const channel = await room.people.channel(room.project, 'hostile');
  await room.tobias.post(channel, 'What follows is meant badly.');
  const page = await visit(room, channel);
  const live = [];
  for (const body of HOSTILE) live.push({ body, busy: await busyWith(page, room, channel, body) });
  const slow = live.filter(({ busy }) => busy > BUSY_MS_MAX).sort((one, other) => other.busy - one.busy);
  await toNewest(page);
  await page.context().close();
  return [
    { what: 'hostile texts', value: HOSTILE.length, min: 100 },
    { what: 'hostile texts over 50 ms', value: slow.length, max: 0, note: slow.slice(0, 3).map(inWords).join(', ') },
  ];
}

/** Returns the longest task while the text is rendered, in milliseconds; 0 when none was reported. */
async function busyWith(page, room, channel, body) {
  const { longTasks } = await during(page, async () => {
    const message = await room.tobias.post(channel, body, { confirm_wide: true });
    await page.locator(`article.message[data-id="${message.id}"]`).waitFor({ state: 'attached' });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  });
  return Math.max(0, ...longTasks);
}

function inWords({ body, busy }) {
  return `\`${body.slice(0, 30).replace(/[|`\n]/g, ' ')}\` ${busy} ms`;
}
