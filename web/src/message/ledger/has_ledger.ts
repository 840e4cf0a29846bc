/** Decides from the message alone whether it has a delivery line, so that its space can be reserved. Pure. */
import type { Message, Snapshot } from '../../api/model';
import type { Presentation } from '../presentation';

/**
 * True for the reader's own messages, and messages between agents, that have recipients. `calls` predicts mentions of
 * an outgoing message, which the hub has not resolved yet.
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
