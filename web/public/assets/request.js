// Sends requests to this hub with the session of this browser.
'use strict';

const REQUEST_TIMEOUT_MS = 30_000;

/** Sends a request, with a JSON body if there is one, and returns the result; never throws. */
async function request(method, path, body) {
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const content = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(path, { method, cache: 'no-store', credentials: 'same-origin', signal, ...content });
    const wait = Number(answer.headers.get('retry-after'));
    return { ok: answer.ok, status: answer.status, wait, json: await answer.json().catch(() => ({})) };
  } catch {
    return { ok: false, status: 0, wait: 0, json: {} };
  }
}

/** Explains a failed request in plain words. */
function explain(answer) {
  if (answer.status === 0) return 'The hub is not responding. Check that it is running, then try again.';
  if (answer.status === 429) return `Too many attempts. Wait ${answer.wait || 1} seconds, then try again.`;
  if (answer.status >= 500) return `Internal error. The log of the hub has the cause: ${answer.json.request_id ?? ''}`;
  const detail = String(answer.json.detail ?? 'The request failed');
  return detail.charAt(0).toUpperCase() + detail.slice(1) + '.';
}
