/** Which messages have a ledger below them, told from the message alone: its line is kept free before it is known. Pure. */
import type { Message, Snapshot } from '../../api/model';
import type { Presentation } from '../presentation';

/**
 * The reader's own messages, and those of agents to agents, that somebody is told of. `calls` says whom the text of a
 * message on its way will call: the hub has not said it yet.
 */
export function hasLedger(
  message: Message,
  presentation: Pick<Presentation, 'name' | 'isRemoved'>,
  isMine: boolean,
  subscriptions: Snapshot['subscriptions'] | undefined,
  calls: (text: string) => boolean,
): boolean {
  if (presentation.isRemoved || !(isMine || presentation.name === 'agent')) return false;
  if (presentation.name !== 'user' && presentation.name !== 'agent') return false;
  if (message.type === 'dm' || (message.mentions?.length ?? 0) > 0 || (message.calls?.length ?? 0) > 0) return true;
  if (message.seq === 0 && calls(message.body)) return true;
  return subscriptions?.some((one) => one.channel_id === message.to) ?? false;
}
