/** Reads loop guard notices from host messages. Pure. */
import type { Message } from '../../api/model';

/** Whether the hub reports here that the loop guard stopped agents. Messages of other authors never do. */
export function isLoopGuardStop(message: Message): boolean {
  return markOf(message) === 'tripped';
}

/**
 * Whether a stop is over: a person of this hub wrote after it, somebody reset the guard, or there is a newer stop (one
 * reset lifts all).
 */
export function isStopResolved(later: readonly (Message | undefined)[]): boolean {
  return later.some(
    (message) =>
      message !== undefined &&
      ((message.from.type === 'person' && !message.from.id?.includes(':')) || markOf(message) !== undefined),
  );
}

/** Reads the structured content of a host message; its text may change. Imported host messages have an id. */
function markOf(message: Message): unknown {
  if (message.from.type !== 'host' || message.from.id || message.kind !== 'host') return undefined;
  const content = message.content as { loop_guard?: { what?: unknown } } | null | undefined;
  return content?.loop_guard?.what;
}
