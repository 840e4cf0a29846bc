/** Why the hub, or the way to it, did not do what was asked: in words for people, with what to do. */
import type { Problem } from './model';

/** The code of a refusal that the page itself makes: the hub was not reached. */
export const UNREACHABLE = 'UNREACHABLE';

export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    /** The stable code, such as `PARLOUR-V01`, or `UNREACHABLE`. */
    readonly code: string,
    /** One sentence: what was wrong. */
    detail: string,
    readonly more: {
      status?: number;
      /** The same again may work later. */
      retryable?: boolean;
      retryAfterSeconds?: number;
      /** The field it is about. */
      field?: string;
      /** What may have been meant, or whom a wide mention calls. */
      candidates?: readonly string[];
    } = {},
  ) {
    super(detail);
  }

  get isUnreachable(): boolean {
    return this.code === UNREACHABLE;
  }
}

/** Reads a problem document, or makes the best of what came instead. */
export function refusalOf(status: number, body: Partial<Problem> | undefined, retryAfterSeconds?: number): Refusal {
  const detail = sentence(body?.detail ?? body?.title ?? `The hub answered with status ${status}`);
  const retryable = body?.retryable ?? status >= 500;
  const { field, candidates } = body ?? {};
  const more = { status, retryable, retryAfterSeconds, field: field ?? undefined, candidates: candidates ?? undefined };
  return new Refusal(body?.code ?? `HTTP-${status}`, detail, more);
}

/** The hub was not reached. */
export function unreachable(): Refusal {
  return new Refusal(UNREACHABLE, 'The hub does not answer.', { retryable: true });
}

/** Whatever was thrown, as a refusal to show. */
export function toRefusal(thrown: unknown): Refusal {
  return thrown instanceof Refusal
    ? thrown
    : new Refusal('PAGE', `Something went wrong on this page: ${String(thrown)}`);
}

function sentence(text: string): string {
  const trimmed = text.trim();
  const ended = /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
