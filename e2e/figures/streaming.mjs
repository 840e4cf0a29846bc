/** Measures the cost of rendering a streaming answer, and movement. */

import { loadAll, scrollUp, toNewest, visit } from './fixture.mjs';
import { during, movementOf, shiftOf } from './probe.mjs';
import { answer, LONG } from './texts.mjs';

/** Tokens per second of a fast model; a token is about four characters. */
const TOKENS_PER_SECOND = 60;
const SECONDS = 15;
const LONG_BYTES = 60_000;

export async function measureStreaming(room) {
  const small = await visit(room, room.small);
  const few = await streamInto(room, small, room.small);
  await small.context().close();
  const page = await visit(room, room.large);
  await loadAll(page);
  const many = await streamInto(room, page, room.large);
  const rows = [
    ...rowsOf('streaming, 10,000 loaded', many),
    { what: 'streaming: CPU with 10,000 loaded ÷ with 50', value: many.cpu / few.cpu, max: 1.3 },
    { what: 'gap while following, painted', value: many.result.gap, unit: 'px', max: 1 },
    ...(await measureReadingAbove(room, page)),
  ];
  for (const [name, make] of Object.entries(LONG)) {
    await toNewest(page);
    const seen = await streamInto(room, page, room.large, make(LONG_BYTES), LONG_BYTES / SECONDS / TOKENS_PER_SECOND);
    rows.push(...rowsOf(`streaming a ${name} of 60 kB`, seen));
  }
  await page.context().close();
  return rows;
}

function rowsOf(what, { longTasks, shifts, cpu, script, layout }) {
  return [
    { what: `${what}: tasks over 50 ms`, value: longTasks.length, max: 0, note: longTasks.join(' ') },
    { what: `${what}: layout shift`, value: shiftOf(shifts), max: 0, note: whatShifted(shifts) },
    {
      what: `${what}: share of a core (script, layout)`,
      value: cpu * 100,
      unit: '%',
      note: `${percent(script)}, ${percent(layout)}`,
    },
  ];
}

/** Streams into a channel while the page follows. */
async function streamInto(room, page, channel, text = answer(SECONDS * TOKENS_PER_SECOND * 4), perChunk = 4) {
  await toNewest(page);
  const writing = await room.agent.stream(channel);
  await page.locator(`article.message[data-id="${writing.id}"]`).waitFor();
  await watchGap(page);
  return during(page, async () => {
    await writing.type(text, TOKENS_PER_SECOND, Math.ceil(perChunk));
    await writing.complete();
    await page.locator(`article.message[data-id="${writing.id}"][data-state=complete]`).waitFor();
    return { gap: await page.evaluate(() => window.probe.gap) };
  });
}

/**
 * Measures the distance from the end of the list before each paint. An observer registered after the list's own runs
 * after it; `requestAnimationFrame` would run before it and see gaps that are never painted.
 */
async function watchGap(page) {
  await page.evaluate(() => {
    const { probe } = window;
    probe.gap = 0;
    probe.gapObserver?.disconnect();
    const observer = new ResizeObserver(() => {
      const { scrollHeight, clientHeight, scrollTop } = probe.scroller();
      probe.gap = Math.max(probe.gap, scrollHeight - clientHeight - scrollTop);
    });
    probe.gapObserver = observer;
    for (const element of [
      probe.scroller().firstElementChild,
      ...document.querySelectorAll('[data-state=streaming]'),
    ]) {
      if (element) observer.observe(element);
    }
  });
}

/** The reader has scrolled up: an answer grows below without moving anything. */
async function measureReadingAbove(room, page) {
  await toNewest(page);
  const writing = await room.agent.stream(room.large);
  await page.locator(`article.message[data-id="${writing.id}"]`).waitFor();
  await writing.chunk(answer(2_000));
  await scrollUp(page, 900);
  const anchor = await firstSeen(page);
  let moved;
  const seen = await during(page, async () => {
    moved = await movementOf(page, anchor, async () => {
      await writing.type(answer(2_400), TOKENS_PER_SECOND);
      await writing.complete();
    });
  });
  return [
    {
      what: 'reading above an answer: layout shift',
      value: shiftOf(seen.shifts),
      max: 0,
      note: whatShifted(seen.shifts),
    },
    { what: 'reading above an answer: the line moved', value: moved, unit: 'px', max: 0 },
  ];
}

/** Returns the id of the first completely visible message. */
export function firstSeen(page) {
  return page.evaluate(() => {
    const { top } = window.probe.scroller().getBoundingClientRect();
    const all = [...document.querySelectorAll('main.conversation article.message')];
    return all.find((one) => one.getBoundingClientRect().top >= top)?.dataset.id;
  });
}

export function whatShifted(shifts) {
  return [...new Set(shifts.filter(({ hadRecentInput }) => !hadRecentInput).map(({ what }) => what))]
    .slice(0, 3)
    .join('; ');
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}
