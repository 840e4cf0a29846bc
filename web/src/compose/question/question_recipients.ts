/** Predicts the addressees of a blocking message while it is written; the hub decides. Pure. */

import type { ConversationId, Member, Snapshot } from '../../api/model';
import { conversationOf } from '../../state/selectors';
import { nameEnds } from '../../text/names';
import { joinNames } from '../../text/wording';
import { MENTIONS_MAX } from '../limits';
import { foldName } from '../suggest/fold_name';
import { mentionStarts, WIDE_WORDS } from '../suggest/mention_rules';

export type QuestionRecipients =
  /** Mentioned members, the members of the DM, or the agents that follow the channel. */
  | { readonly type: 'members' | 'followers'; readonly names: readonly string[] }
  /** `@everyone`. */
  | { readonly type: 'many' }
  /** The authors in the thread, which the page does not have. */
  | { readonly type: 'thread' }
  | { readonly type: 'nobody' };

export function questionRecipients(
  text: string,
  snapshot: Snapshot,
  id: ConversationId,
  members: readonly Member[],
): QuestionRecipients {
  const others = members.filter((one) => one.id !== snapshot.reader);
  const mentioned = mentionedIn(text, others);
  if (mentioned === 'many') return { type: 'many' };
  if (mentioned.length > 0) return { type: 'members', names: mentioned };
  const nameOf = (memberId: string) => others.filter((one) => one.id === memberId).map((one) => one.name);
  const conversation = conversationOf(snapshot, id);
  if (conversation?.type === 'thread') return { type: 'thread' };
  if (conversation?.type === 'dm') return { type: 'members', names: conversation.dm.participants.flatMap(nameOf) };
  const followers = snapshot.subscriptions.filter((one) => one.channel_id === id);
  const names = followers.flatMap((one) => nameOf(one.agent_id));
  return names.length > 0 ? { type: 'followers', names } : { type: 'nobody' };
}

function mentionedIn(text: string, members: readonly Member[]): readonly string[] | 'many' {
  const byFold = new Map(
    members.flatMap((one) => [[foldName(one.name), one.name] as const, [one.id, one.name] as const]),
  );
  const found = new Set<string>();
  for (const start of mentionStarts(text).slice(0, MENTIONS_MAX)) {
    const tail = text.slice(start + 1);
    const words = nameEnds(tail).map((end) => tail.slice(0, end));
    const known = words.findLast((word) => byFold.has(foldName(word)));
    if (known !== undefined) found.add(byFold.get(foldName(known)) ?? known);
    else if (WIDE_WORDS.has(words[0]?.toLowerCase() ?? '')) return 'many';
  }
  return [...found];
}

/** Formats the recipients: "Asks Coder and waits", or what is missing. */
export function recipientsText(asked: QuestionRecipients): string {
  switch (asked.type) {
    case 'members':
      return asked.names.length > 0 ? `Asks ${joinNames(asked.names)}, and waits.` : 'Mention who should answer.';
    case 'followers':
      return `Asks those who follow this channel, and waits: ${joinNames(asked.names)}. Mention someone to ask only them.`;
    case 'many':
      return 'Asks all of them, and waits. The first answer counts.';
    case 'thread':
      return 'Asks the agents of this thread, and waits. Mention someone to ask only them.';
    case 'nobody':
      return 'Mention who should answer: nobody follows this channel.';
  }
}
