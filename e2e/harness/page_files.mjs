/** Serves a page from a folder instead of the embedded one, under the hub's policy. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { PAGE, ROOT } from './paths.mjs';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
/** Headers that describe the hub's own bytes. */
const OF_THE_BYTES = ['content-length', 'content-encoding', 'content-type', 'etag', 'date', 'connection', 'vary'];

/**
 * With PARLOUR_PAGE, serves `/`, `/assets/` and `/d/` from that folder. Everything else, and missing files, comes from
 * the hub.
 */
export async function servePage(context, hub) {
  if (!PAGE) return;
  const headers = { page: await headersOf(`${hub.url}/`), diagram: await headersOf(`${hub.url}/d/diagram.html`) };
  const isOurs = (url) => url.origin === hub.url && /^\/($|assets\/|d\/)/.test(url.pathname);
  await context.route(isOurs, (route) => {
    const { pathname } = new URL(route.request().url());
    const file = fileFor(pathname);
    if (!file) return route.fallback();
    const isDiagram = pathname.startsWith('/d/');
    const open = pathname.startsWith('/d/assets/') ? { 'access-control-allow-origin': '*' } : {};
    return route.fulfill({
      body: readFileSync(file),
      headers: {
        ...headers[isDiagram ? 'diagram' : 'page'],
        ...open,
        'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      },
    });
  });
}

/** A plain Vite build lacks the icon, which `build.mjs` fingerprints: it is in `public`. */
function fileFor(pathname) {
  const name = pathname === '/' ? 'index.html' : pathname.slice(1);
  const places = [path.join(PAGE, name), path.join(ROOT, 'web/public', name)];
  return places.find((file) => existsSync(file) && statSync(file).isFile());
}

async function headersOf(url) {
  const { headers } = await fetch(url);
  return Object.fromEntries([...headers].filter(([name]) => !OF_THE_BYTES.includes(name)));
}
