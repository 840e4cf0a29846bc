/** What a host message says of the loop guard, and whether its stop still stands. Pure. */
import type { Message } from '../api/model';

/** Whether the hub tells here that the guard has stopped agents. Messages of others never do, whatever they hold. */
export function isStop(message: Message): boolean {
  return markOf(message) === 'tripped';
}

/** Whether a stop was lifted: a person spoke after it, or somebody let the agents go on. */
export function isLifted(later: readonly (Message | undefined)[]): boolean {
  return later.some(
    (message) => message !== undefined && (message.from.type === 'person' || markOf(message) === 'reset'),
  );
}

function markOf(message: Message): unknown {
  if (message.from.type !== 'host' || message.kind !== 'host') return undefined;
  const content = message.content as { loop_guard?: { what?: unknown } } | null | undefined;
  return content?.loop_guard?.what;
}
