/** The inbox in the order in which it should be read. Pure. */
import type { InboxEntry } from '../../api/model';

/** Why somebody should not miss a message, the strongest first. */
export type Weight = 'blocking' | 'mention' | 'critical' | 'high' | 'plain';

const ORDER: readonly Weight[] = ['blocking', 'mention', 'critical', 'high', 'plain'];

export function weightOf({ reason, message }: InboxEntry, readerId: string | undefined): Weight {
  if (message.question?.state === 'open' && message.question.addressees.includes(readerId ?? '')) return 'blocking';
  if (reason === 'mention') return 'mention';
  return message.importance === 'normal' ? 'plain' : message.importance;
}

/** "asks you", "mentions you", "high". */
export function weightText(weight: Weight, { reason }: Pick<InboxEntry, 'reason'>): string {
  switch (weight) {
    case 'blocking':
      return 'waits for you';
    case 'mention':
      return 'mentions you';
    case 'critical':
    case 'high':
      return weight;
    case 'plain':
      return PLAIN[reason];
  }
}

const PLAIN: Record<InboxEntry['reason'], string> = {
  mention: 'mentions you',
  dm: 'direct message',
  thread: 'your thread',
  subscription: 'channel',
};

export interface InboxGroup {
  readonly conversationId: string;
  /** What matters most first, then the newest. */
  readonly entries: readonly InboxEntry[];
  /** The newest message: once it is read, all of them are. */
  readonly newest: InboxEntry;
}

/** By conversation; the conversation with what matters most first, then the one with the newest message. */
export function inboxGroups(entries: readonly InboxEntry[], readerId: string | undefined): readonly InboxGroup[] {
  const byConversation = new Map<string, InboxEntry[]>();
  for (const entry of entries) {
    byConversation.set(entry.message.to, [...(byConversation.get(entry.message.to) ?? []), entry]);
  }
  const rank = (entry: InboxEntry) => ORDER.indexOf(weightOf(entry, readerId));
  const groups = [...byConversation].flatMap(([conversationId, all]) => {
    const sorted = all.toSorted((one, other) => rank(one) - rank(other) || other.message.seq - one.message.seq);
    const newest = all.toSorted((one, other) => other.message.seq - one.message.seq)[0];
    return newest ? [{ conversationId, entries: sorted, newest }] : [];
  });
  const best = ({ entries: [first] }: InboxGroup) => (first ? rank(first) : ORDER.length);
  return groups.sort(
    (one, other) => best(one) - best(other) || newestAt(other.newest).localeCompare(newestAt(one.newest)),
  );
}

function newestAt({ message }: InboxEntry): string {
  return message.created_at;
}
