/** What a host message says of the loop guard, and whether its stop still stands. Pure. */
import type { Message } from '../../api/model';

/** Whether the hub tells here that the guard has stopped agents. Messages of others never do, whatever they hold. */
export function isStop(message: Message): boolean {
  return markOf(message) === 'tripped';
}

/**
 * Whether a stop needs no lifting any more: a person of this hub spoke after it, somebody let the agents go on, or a
 * newer stop asks for the same, for lifting one lifts all.
 */
export function isSettled(later: readonly (Message | undefined)[]): boolean {
  return later.some(
    (message) =>
      message !== undefined &&
      ((message.from.type === 'person' && !message.from.id?.includes(':')) || markOf(message) !== undefined),
  );
}

/** What the hub noted beside its words; the words are for people and may change. The hub of another system has an id. */
function markOf(message: Message): unknown {
  if (message.from.type !== 'host' || message.from.id || message.kind !== 'host') return undefined;
  const content = message.content as { loop_guard?: { what?: unknown } } | null | undefined;
  return content?.loop_guard?.what;
}
