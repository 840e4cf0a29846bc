/** Groups and sorts the inbox. Pure. */
import type { InboxEntry } from '../../api/model';

/** Why a message is in the inbox, most important first. */
export type InboxPriority = 'blocking' | 'mention' | 'critical' | 'high' | 'plain';

const ORDER: readonly InboxPriority[] = ['blocking', 'mention', 'critical', 'high', 'plain'];

export function priorityOf({ reason, message }: InboxEntry, readerId: string | undefined): InboxPriority {
  if (message.question?.state === 'open' && message.question.addressees.includes(readerId ?? '')) return 'blocking';
  if (reason === 'mention') return 'mention';
  return message.importance === 'normal' ? 'plain' : message.importance;
}

/** Returns "needs your answer", "mentions you", "high". */
export function priorityText(weight: InboxPriority, { reason }: Pick<InboxEntry, 'reason'>): string {
  switch (weight) {
    case 'blocking':
      return 'needs your answer';
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
  /** Most important first, then newest. */
  readonly entries: readonly InboxEntry[];
  /** The newest message: reading it reads all. */
  readonly newest: InboxEntry;
}

/** Groups by conversation; the most important group first, then the newest. */
export function inboxGroups(entries: readonly InboxEntry[], readerId: string | undefined): readonly InboxGroup[] {
  const byConversation = new Map<string, InboxEntry[]>();
  for (const entry of entries) {
    byConversation.set(entry.message.to, [...(byConversation.get(entry.message.to) ?? []), entry]);
  }
  const rank = (entry: InboxEntry) => ORDER.indexOf(priorityOf(entry, readerId));
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
