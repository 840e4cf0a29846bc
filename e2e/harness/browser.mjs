/** One Chromium per run, and a new context for every visitor. */
import { chromium } from 'playwright-core';
import { servePage } from './page_files.mjs';

export const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** No background requests of the browser, so that requests to other hosts come from the page. */
export const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A page from PARLOUR_PAGE has no address of its own: its connection to the hub on this machine would be refused.
  '--disable-features=LocalNetworkAccessChecks',
];

export const SCREENS = {
  desktop: { viewport: { width: 1280, height: 960 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

let opened;

export async function browser() {
  opened ??= chromium.launch({ executablePath: EXECUTABLE, args: FLAGS, headless: true });
  return opened;
}

export async function closeBrowser() {
  await (await opened)?.close();
  opened = undefined;
}

/**
 * A browser context without stored data. `screen` is a name of SCREENS or an object like its values, `theme` is `dark`
 * or `light`. Reduced motion by default: screenshots are reproducible, and no test waits for an animation.
 */
export async function newContext(hub, { screen = 'desktop', theme = 'dark', motion = 'reduce', ...rest } = {}) {
  const size = typeof screen === 'string' ? SCREENS[screen] : screen;
  const context = await (await browser()).newContext({
    baseURL: hub.url,
    colorScheme: theme,
    reducedMotion: motion,
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...size,
    ...rest,
  });
  await servePage(context, hub);
  return context;
}
