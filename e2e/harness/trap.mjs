/**
 * A trap around a whole context: counts everything that hostile text could bring about. A story that shows nothing
 * hostile must not spring it either, so every story runs inside one.
 */

import { EventEmitter, once } from 'node:events';

/** What a hostile payload calls when it runs: `parlourTrap()`. */
export const SENTINEL = 'parlourTrap';

/** Sets the trap; `sprung()` answers one line for everything that happened. */
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
    /** The story has seen what it wanted: the trap counts from nothing again. */
    forget: () => events.splice(0),
    /** Waits until it has been sprung so; the time of the story is the limit. */
    until: async (pattern) => {
      while (!events.some((event) => pattern.test(event))) await once(seen, 'sprung');
    },
  };
}

function watchPage(page, hub, note) {
  page.on('dialog', (dialog) => {
    // The browser asks before it leaves a page with unsaved text: that is the page's wish, not an attack.
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
