/** What the first visit costs. */
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { newContext } from '../harness/browser.mjs';
import { addressOf } from '../harness/people.mjs';

export async function measureLoad(room) {
  const context = await newContext(room.hub, { screen: 'phone' });
  await room.people.signIn(context, room.mara);
  const page = await context.newPage();
  const responses = [];
  page.on('response', (response) => responses.push(response));
  await page.goto(addressOf(room.project, room.small));
  await page.waitForFunction(() => performance.getEntriesByName('ready').length > 0);
  const ready = await page.evaluate(() => performance.getEntriesByName('ready')[0].startTime + performance.timeOrigin);
  const early = responses.filter((response) => response.request().timing().startTime <= ready);
  const isFile = (response) => /^\/($|assets\/|d\/)/.test(new URL(response.url()).pathname);
  const files = early.filter(isFile);
  const foreign = early.filter((response) => new URL(response.url()).origin !== room.hub.url);
  const rows = [
    { what: 'first load: JS and CSS, packed with gzip', value: (await packedSize(files)) / 1000, unit: 'kB', max: 110 },
    { what: 'first load: files', value: files.length, max: 6, note: files.map(nameOf).join(' ') },
    { what: 'first load: requests of the API besides', value: early.length - files.length },
    { what: 'first load: foreign requests', value: foreign.length, max: 0 },
  ];
  await context.close();
  return rows;
}

/** Without its fingerprint. */
function nameOf(response) {
  return path.basename(new URL(response.url()).pathname).replace(/\.[0-9a-f]{16}/, '') || 'index.html';
}

/** The hub packs better than gzip; the bound is of gzip, which anybody can repeat. */
async function packedSize(files) {
  let size = 0;
  for (const response of files.filter((one) => /\.(js|css)$/.test(new URL(one.url()).pathname))) {
    size += gzipSync(await response.body(), { level: 9 }).length;
  }
  return size;
}
