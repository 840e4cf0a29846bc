/** Measures memory with everything loaded, and after many switches. */
import { addressOf } from '../harness/people.mjs';
import { loadAll, visit } from './fixture.mjs';
import { heapUsed } from './probe.mjs';

const SWITCHES = 20;
const MEGA = 1_000_000;

export async function measureMemory(room) {
  const page = await visit(room, room.large);
  await loadAll(page);
  const full = await heapUsed(page);
  const elements = await page.evaluate(() => document.getElementsByTagName('*').length);
  await page.context().close();
  const { first, last } = await measureSwitches(room);
  return [
    { what: 'elements in the page, 10,000 loaded', value: elements, max: 2_500 },
    { what: 'heap, 10,000 loaded', value: full / MEGA, unit: 'MB', max: 15 + (3 * room.bytes) / MEGA },
    { what: `heap after ${SWITCHES} switches of conversation ÷ after 4`, value: last / first, max: 1.1 },
  ];
}

/** Every channel is opened once before measuring: what is loaded once may stay. */
async function measureSwitches(room) {
  const page = await visit(room, room.small);
  const channels = [...room.others, room.small];
  for (const channel of channels) await switchTo(page, room, channel);
  const first = await heapUsed(page);
  for (let turn = 0; turn < SWITCHES; turn += 1) await switchTo(page, room, channels[turn % channels.length]);
  const last = await heapUsed(page);
  await page.context().close();
  return { first, last };
}

async function switchTo(page, room, channel) {
  await page.evaluate((address) => location.assign(address), addressOf(room.project, channel).slice(1));
  await page.locator('.conversation-bar').getByText(channel.name, { exact: true }).first().waitFor();
  await page.locator('main.conversation article.message').last().waitFor();
}
