/** Measures the first visit. */
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
  const code = await packed(files.filter((response) => /\.(js|css)$/.test(nameOf(response))));
  const size = code.reduce((sum, { bytes }) => sum + bytes, 0);
  const sizes = code.map(({ name, bytes }) => `${name} ${(bytes / 1000).toFixed(1)}`).join(', ');
  const rows = [
    { what: 'first load: JS and CSS, packed with gzip', value: size / 1000, unit: 'kB', max: 110, note: sizes },
    { what: 'first load: files', value: files.length, max: 6, note: files.map(nameOf).join(' ') },
    { what: 'first load: requests of the API besides', value: early.length - files.length },
    { what: 'first load: foreign requests', value: foreign.length, max: 0 },
  ];
  await context.close();
  return rows;
}

function nameOf(response) {
  return path.basename(new URL(response.url()).pathname).replace(/\.[0-9a-f]{16}/, '') || 'index.html';
}

/** The hub uses Brotli; the limit is for gzip, which is easy to reproduce. */
async function packed(files) {
  const sizes = [];
  for (const file of files) {
    sizes.push({ name: nameOf(file), bytes: gzipSync(await file.body(), { level: 9 }).length });
  }
  return sizes;
}
