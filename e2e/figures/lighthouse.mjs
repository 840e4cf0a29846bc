/** Lighthouse as on a phone, in both themes, without a network beyond the hub. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import lighthouse from 'lighthouse';
import { chromium } from 'playwright-core';
import { EXECUTABLE, FLAGS } from '../harness/browser.mjs';
import { servePage } from '../harness/page_files.mjs';
import { addressOf } from '../harness/people.mjs';

const SCHEMES = { dark: 0, light: 1 };

export async function measureLighthouse(room) {
  const rows = [];
  for (const theme of ['dark', 'light']) {
    const scores = await scoresIn(room, theme);
    rows.push(
      {
        what: `lighthouse mobile, ${theme}: accessibility`,
        value: scores.accessibility,
        min: 100,
        note: scores.faults,
      },
      { what: `lighthouse mobile, ${theme}: performance`, value: scores.performance, min: 95, note: scores.times },
    );
  }
  return rows;
}

/** Uses a separate browser: Lighthouse needs a debugging port and emulates its own phone. */
async function scoresIn(room, theme) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'parlour-lighthouse-'));
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: EXECUTABLE,
    args: [...FLAGS, '--remote-debugging-port=0', `--blink-settings=preferredColorScheme=${SCHEMES[theme]}`],
    colorScheme: null,
  });
  try {
    await servePage(context, room.hub);
    await room.people.signIn(context, room.mara);
    const [port] = (await readFile(path.join(folder, 'DevToolsActivePort'), 'utf8')).split('\n');
    const address = room.hub.url + addressOf(room.project, room.small);
    const flags = {
      port: Number(port),
      logLevel: 'error',
      onlyCategories: ['accessibility', 'performance'],
      disableStorageReset: true,
    };
    return readScores(await lighthouse(address, flags));
  } finally {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function readScores({ lhr }) {
  if (lhr.runtimeError) throw new Error(`lighthouse: ${lhr.runtimeError.message}`);
  const score = (name) => Math.round((lhr.categories[name].score ?? 0) * 100);
  const isFault = ({ id }) => lhr.audits[id].score !== null && lhr.audits[id].score < 1;
  const faults = lhr.categories.accessibility.auditRefs.filter(isFault).map(({ id }) => id);
  const times = [
    'first-contentful-paint',
    'largest-contentful-paint',
    'total-blocking-time',
    'cumulative-layout-shift',
  ];
  return {
    accessibility: score('accessibility'),
    performance: score('performance'),
    faults: faults.join(' '),
    times: times.map((id) => lhr.audits[id].displayValue).join(' · '),
  };
}
