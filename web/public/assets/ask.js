// Sends requests to this hub with the session of this browser.
'use strict';

const ASK_TIMEOUT_MS = 30_000;

/** Sends a request, with a JSON body if there is one, and returns the result; never throws. */
async function ask(method, path, body) {
  const signal = AbortSignal.timeout(ASK_TIMEOUT_MS);
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
  if (answer.status === 0) return 'The hub does not answer. Is it running?';
  if (answer.status === 429) return `Too many tries. Wait ${answer.wait || 1} seconds, then try again.`;
  if (answer.status >= 500) return `The hub has met a fault. Its log has the cause: ${answer.json.request_id ?? ''}`;
  const detail = String(answer.json.detail ?? 'This did not work');
  return detail.charAt(0).toUpperCase() + detail.slice(1) + '.';
}
