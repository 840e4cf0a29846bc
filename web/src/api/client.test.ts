import { describe, expect, it, vi } from 'vitest';
import { createClient, pathWith, undefinedIfNotFound } from './client';
import { Refusal } from './refusal';

/** Returns a client with a fixed response, and the requests that it has sent. */
function clientOf(answer: () => Response | Promise<Response>) {
  const onSignedOut = vi.fn();
  const fetcher = vi.fn(async (_path: unknown, _options?: RequestInit) => answer());
  return { client: createClient(onSignedOut, fetcher as typeof fetch), fetcher, onSignedOut };
}

const problem = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

const refusalOf = (asked: Promise<unknown>): Promise<Refusal> =>
  asked.then(
    () => expect.unreachable('it was not refused'),
    (thrown) => thrown as Refusal,
  );

describe('the client', () => {
  it('sends JSON with the cookie of the page, and reads JSON', async () => {
    const { client, fetcher } = clientOf(() => problem(200, { id: 'x' }));
    expect(await client.call('POST', '/channels', { name: 'a' })).toEqual({ id: 'x' });
    const [path, options] = fetcher.mock.calls[0] ?? [];
    expect([path, options?.method, options?.body, options?.credentials]).toEqual([
      '/channels',
      'POST',
      '{"name":"a"}',
      'same-origin',
    ]);
  });

  it('returns undefined for an empty response', async () => {
    const { client } = clientOf(() => new Response(null, { status: 204 }));
    expect(await client.call('DELETE', '/channels/x')).toBeUndefined();
  });

  it('turns a problem document into a refusal', async () => {
    const body = { code: 'PARLOUR-M03', detail: 'this would call 3', field: 'body', candidates: ['Coder'] };
    const refusal = await refusalOf(clientOf(() => problem(409, body)).client.call('POST', '/messages', {}));
    expect(refusal).toBeInstanceOf(Refusal);
    expect([refusal.code, refusal.message, refusal.more.candidates]).toEqual([
      'PARLOUR-M03',
      'This would call 3.',
      ['Coder'],
    ]);
  });

  it('reads the retry delay from the document or the header', async () => {
    const byBody = clientOf(() => problem(429, { retry_after: 7 }));
    const byHeader = clientOf(() => problem(503, {}, { 'Retry-After': '9' }));
    expect((await refusalOf(byBody.client.call('GET', '/x'))).more.retryAfterSeconds).toBe(7);
    expect((await refusalOf(byHeader.client.call('GET', '/x'))).more.retryAfterSeconds).toBe(9);
  });

  it('reports a hub that does not answer or closes the connection as unreachable', async () => {
    const lost = clientOf(() => Promise.reject(new TypeError('no network')));
    expect((await refusalOf(lost.client.call('GET', '/me'))).isUnreachable).toBe(true);
    const half = new Response(new ReadableStream({ start: (stream) => stream.error(new Error('gone')) }));
    expect((await refusalOf(clientOf(() => half).client.call('GET', '/me'))).isUnreachable).toBe(true);
  });

  it('returns a refusal with the status when the response is not JSON', async () => {
    const { client } = clientOf(() => new Response('<h1>Bad gateway</h1>', { status: 502 }));
    expect((await refusalOf(client.call('GET', '/me'))).code).toBe('HTTP-502');
  });

  it('reports an ended session, but not for a wrong password', async () => {
    const ended = clientOf(() => problem(401, { code: 'PARLOUR-A01' }));
    await refusalOf(ended.client.call('GET', '/me'));
    expect(ended.onSignedOut).toHaveBeenCalledOnce();
    const wrong = clientOf(() => problem(401, { code: 'PARLOUR-A06' }));
    await refusalOf(wrong.client.call('POST', '/sign-in', {}));
    expect(wrong.onSignedOut).not.toHaveBeenCalled();
  });
});

describe('a path', () => {
  it('carries the parameters that have a value', () => {
    expect(pathWith('/search', { q: 'a & b', cursor: undefined, limit: 2 })).toBe('/search?q=a+%26+b&limit=2');
    expect(pathWith('/search', {})).toBe('/search');
  });
});

describe('a resource that may be missing', () => {
  it('is undefined when the hub answers "not found", and a refusal otherwise', async () => {
    expect(
      await undefinedIfNotFound(Promise.reject(new Refusal('PARLOUR-N01', 'No.', { status: 404 }))),
    ).toBeUndefined();
    expect(
      (await refusalOf(undefinedIfNotFound(Promise.reject(new Refusal('PARLOUR-S01', 'No.', { status: 500 }))))).code,
    ).toBe('PARLOUR-S01');
  });
});
