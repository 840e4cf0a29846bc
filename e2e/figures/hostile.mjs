/** How long the page is busy with each hostile text. Whether one succeeds is asked by a story. */
import { HOSTILE } from '../harness/hostile.mjs';
import { during } from './probe.mjs';
import { toNewest, visit } from './room.mjs';

export async function measureHostile(room) {
  const channel = await room.people.channel(room.project, 'hostile');
  await room.tobias.post(channel, 'What follows is meant badly.');
  const page = await visit(room, channel);
  const live = [];
  for (const body of HOSTILE) live.push({ body, busy: await busyWith(page, room, channel, body) });
  const slowest = live.sort((one, other) => other.busy - one.busy)[0];
  await toNewest(page);
  await page.context().close();
  return [
    { what: 'hostile texts', value: HOSTILE.length, min: 100 },
    { what: 'hostile texts over 50 ms', value: live.filter(({ busy }) => busy > 50).length, max: 0 },
    { what: 'the slowest of them', value: slowest.busy, unit: 'ms', note: `\`${shown(slowest.body)}\`` },
  ];
}

/** The longest task while the text arrives and is shown, in milliseconds; 0 when none was long enough to be told. */
async function busyWith(page, room, channel, body) {
  const { longTasks } = await during(page, async () => {
    const message = await room.tobias.post(channel, body, { confirm_wide: true });
    await page.locator(`article.message[data-id="${message.id}"]`).waitFor({ state: 'attached' });
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  });
  return Math.max(0, ...longTasks);
}

function shown(text) {
  return text.slice(0, 40).replace(/[|`\n]/g, ' ');
}
