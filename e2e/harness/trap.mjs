/**
 * Detects effects of hostile text in a browser context: code execution, requests, windows, navigation. Every story runs
 * with one.
 */

import { EventEmitter, once } from 'node:events';

/** The function that a hostile payload calls: `parlourTrap()`. */
export const SENTINEL = 'parlourTrap';

/** Sets the trap; `sprung()` returns one line per event. */
export async function setTrap(context, hub) {
  const events = [];
  const seen = new EventEmitter();
  const note = (what, detail) => {
    events.push(`${what}: ${detail}`);
    seen.emit('sprung');
  };
  await context.exposeBinding(SENTINEL, ({ frame }, detail) =>
    note('a script ran', `${detail ?? ''} in ${frame.url()}`),
  );
  await context.exposeBinding('parlourPolicy', (_, detail) => note('the policy of the page was violated', detail));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.parlourPolicy(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
    });
  });
  context.on('request', (request) => {
    if (isForeign(request.url(), hub)) note('something foreign was asked for', request.url());
  });
  context.on('page', (page) => watchPage(page, hub, note));
  return {
    sprung: () => [...events],
    /** Clears the recorded events. */
    forget: () => events.splice(0),
    /** Waits for an event that matches the pattern. */
    until: async (pattern) => {
      while (!events.some((event) => pattern.test(event))) await once(seen, 'sprung');
    },
  };
}

function watchPage(page, hub, note) {
  page.on('dialog', (dialog) => {
    // The page may ask before it is left with unsaved text; that is not an attack.
    if (dialog.type() !== 'beforeunload') note('a dialog opened', `${dialog.type()} ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('popup', (popup) => note('a window opened', popup.url()));
  page.on('framenavigated', (frame) => {
    if (frame === page.mainFrame() && isForeign(frame.url(), hub)) note('the page went elsewhere', frame.url());
  });
  page.on('websocket', (socket) => {
    if (isForeign(socket.url(), hub)) note('something foreign was asked for', socket.url());
  });
}

function isForeign(address, hub) {
  const url = new URL(address);
  if (['data:', 'blob:', 'about:'].includes(url.protocol)) return false;
  return url.host !== new URL(hub.url).host;
}
