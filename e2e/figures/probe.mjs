/** Measuring code inside the page, and the browser's own counters. */

/** Injected before the page runs; `window.probe` collects measurements. */
export async function addProbe(context) {
  await context.addInitScript(() => {
    /** The scroll container of the open conversation. */
    const scroller = () => {
      const list = document.querySelector('main.conversation .message-list');
      const near = [list, list?.parentElement, ...(list?.querySelectorAll('*') ?? [])];
      return near.find((one) => one && /auto|scroll/.test(getComputedStyle(one).overflowY));
    };
    const probe = { longTasks: [], shifts: [], scroller };
    window.probe = probe;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) probe.longTasks.push(Math.round(duration));
    }).observe({ type: 'longtask' });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        const what = sources
          .map(({ node }) => node?.className || node?.parentElement?.className || node?.nodeName)
          .join(', ');
        probe.shifts.push({ value, hadRecentInput, what });
      }
    }).observe({ type: 'layout-shift' });
  });
}

/** Runs `work` and returns the browser's counters for that time. */
export async function during(page, work) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.evaluate(() => {
    window.probe.longTasks.length = 0;
    window.probe.shifts.length = 0;
  });
  const before = await counters(session);
  const result = await work();
  const after = await counters(session);
  const seen = await page.evaluate(() => ({ longTasks: window.probe.longTasks, shifts: window.probe.shifts }));
  await session.detach();
  const share = (name) => (after[name] - before[name]) / (after.Timestamp - before.Timestamp);
  return {
    ...seen,
    result,
    cpu: share('TaskDuration'),
    script: share('ScriptDuration'),
    layout: share('LayoutDuration'),
  };
}

async function counters(session) {
  const { metrics } = await session.send('Performance.getMetrics');
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** Returns the heap size after garbage collection. */
export async function heapUsed(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  // A first pass may make more objects collectable.
  for (let pass = 0; pass < 3; pass += 1) await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** Returns how far one message moved at most while `work` ran, in pixels. */
export async function movementOf(page, id, work) {
  await page.evaluate((messageId) => {
    const element = () => document.querySelector(`article.message[data-id="${messageId}"]`);
    const start = element()?.getBoundingClientRect().top;
    const watch = { max: start === undefined ? Number.NaN : 0, frames: 0, on: true };
    window.movement = watch;
    const look = () => {
      const top = element()?.getBoundingClientRect().top;
      watch.frames += 1;
      watch.max = Math.max(watch.max, top === undefined ? Number.POSITIVE_INFINITY : Math.abs(top - start));
      if (watch.on) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }, id);
  await work();
  return page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    window.movement.on = false;
    return window.movement.max;
  });
}

/** Sums layout shifts without recent input. */
export function shiftOf(shifts) {
  return shifts.filter(({ hadRecentInput }) => !hadRecentInput).reduce((sum, { value }) => sum + value, 0);
}
