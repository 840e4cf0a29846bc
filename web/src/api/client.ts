/** HTTP requests to the hub that served this page: JSON, session cookie, errors as `Refusal`. */
import type { Problem } from './model';
import { Refusal, refusalOf, unreachable } from './refusal';

/** After this long without an answer the hub counts as unreachable. */
export const REQUEST_TIMEOUT_MS = 30_000;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Refusal code: nobody is signed in. A wrong password is a 401 too, with another code. */
export const NOBODY_SIGNED_IN = 'PARLOUR-A01';

export interface Client {
  /** Sends a request; rejects with a `Refusal`. An empty response is `undefined`. `stop` aborts it. */
  call<Answer>(method: Method, path: string, body?: unknown, stop?: AbortSignal): Promise<Answer>;
  /** Checks a refusal from another kind of request (an upload): it may mean that the session ended. */
  note(refusal: unknown): void;
}

/** Creates a client of this origin. It calls `onSignedOut` whenever the hub rejects the session. */
export function createClient(onSignedOut: () => void, fetcher: typeof fetch = (...given) => fetch(...given)): Client {
  const note = (refusal: unknown) => {
    if (refusal instanceof Refusal && refusal.code === NOBODY_SIGNED_IN) onSignedOut();
  };
  return {
    note,
    async call<Answer>(method: Method, path: string, body?: unknown, stop?: AbortSignal): Promise<Answer> {
      const response = await fetchOrThrow(fetcher, method, path, body, stop);
      const content = await contentOf(response);
      if (response.ok) return content as Answer;
      const refusal = refusalOf(
        response.status,
        content as Partial<Problem> | undefined,
        retryAfter(response, content),
      );
      note(refusal);
      throw refusal;
    },
  };
}

/** Returns a path with those query parameters that have a value. */
export function pathWith(path: string, parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string | number] => pair[1] !== undefined);
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length > 0 ? `${path}?${query}` : path;
}

/** Returns the result of a request, or undefined when the hub answers that the reader can see no such thing. */
export async function undefinedIfNotFound<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (thrown) {
    if (thrown instanceof Refusal && (thrown.more.status === 404 || thrown.more.status === 403)) return undefined;
    throw thrown;
  }
}

async function fetchOrThrow(
  fetcher: typeof fetch,
  method: Method,
  path: string,
  body: unknown,
  stop?: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const limit = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
  const signal = stop ? AbortSignal.any([stop, limit]) : limit;
  try {
    const content = body === undefined ? undefined : JSON.stringify(body);
    return await fetcher(path, { method, headers, body: content, signal, credentials: 'same-origin' });
  } catch {
    throw unreachable();
  }
}

/** Reads the response body. A response that breaks off counts as unreachable; a body that is not JSON is undefined. */
async function contentOf(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw unreachable();
  });
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function retryAfter(response: Response, content: unknown): number | undefined {
  const value = (content as Partial<Problem> | undefined)?.retry_after ?? response.headers.get('Retry-After');
  const seconds = value === null || value === undefined ? Number.NaN : Number(value);
  return Number.isFinite(seconds) ? seconds : undefined;
}
