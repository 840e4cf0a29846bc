/** An expected error: the hub refused a request or could not be reached. Has a text for people. */
import type { Problem } from './model';

/** Code of the refusal that the page creates when the hub could not be reached. */
export const UNREACHABLE = 'UNREACHABLE';

export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    /** The stable code, such as `PARLOUR-V01`, or `UNREACHABLE`. */
    readonly code: string,
    detail: string,
    readonly more: {
      status?: number;
      retryable?: boolean;
      retryAfterSeconds?: number;
      field?: string;
      /** Suggested names, or the members that a wide mention would call. */
      candidates?: readonly string[];
    } = {},
  ) {
    super(detail);
  }

  get isUnreachable(): boolean {
    return this.code === UNREACHABLE;
  }
}

/** Reads a problem document; falls back to the status when the body is something else. */
export function refusalOf(status: number, body: Partial<Problem> | undefined, retryAfterSeconds?: number): Refusal {
  const detail = sentence(body?.detail ?? body?.title ?? `The hub answered with status ${status}`);
  const retryable = body?.retryable ?? status >= 500;
  const { field, candidates } = body ?? {};
  const more = { status, retryable, retryAfterSeconds, field: field ?? undefined, candidates: candidates ?? undefined };
  return new Refusal(body?.code ?? `HTTP-${status}`, detail, more);
}

export function unreachable(): Refusal {
  return new Refusal(UNREACHABLE, 'The hub is not responding. Try again.', {
    retryable: true,
  });
}

/** Converts any thrown value to a refusal. */
export function toRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal
    ? thrown
    : new Refusal('PAGE', `Error on this page: ${String(thrown)}. Reload the page.`);
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
