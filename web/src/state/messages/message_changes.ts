/** What events change on a message. All pure; the same object comes back when there is nothing to change. */
import type { QuestionMark, ReactionMark } from '../../api/events';
import type { Message, Thread } from '../../api/model';

/** A member has reacted. */
export function reacted(message: Message, { emoji, member_id }: ReactionMark): Message {
  const reactions = message.reactions ?? [];
  const place = reactions.findIndex((reaction) => reaction.emoji === emoji);
  const known = reactions[place];
  if (message.removed_at || known?.members.includes(member_id)) return message;
  if (!known) return { ...message, reactions: [...reactions, { emoji, members: [member_id] }] };
  return { ...message, reactions: reactions.with(place, { emoji, members: [...known.members, member_id] }) };
}

/** A member has taken a reaction back. */
export function unreacted(message: Message, { emoji, member_id }: ReactionMark): Message {
  const reactions = message.reactions ?? [];
  const place = reactions.findIndex((reaction) => reaction.emoji === emoji && reaction.members.includes(member_id));
  const known = reactions[place];
  if (!known) return message;
  const members = known.members.filter((member) => member !== member_id);
  const next = members.length > 0 ? reactions.with(place, { emoji, members }) : reactions.toSpliced(place, 1);
  if (next.length > 0) return { ...message, reactions: next };
  const { reactions: _, ...bare } = message;
  return bare;
}

/** A thread was opened below it. */
export function linked(message: Message, thread: Thread): Message {
  return message.thread_id === thread.id ? message : { ...message, thread_id: thread.id };
}

/** Its question has changed. */
export function asked(message: Message, { question }: QuestionMark): Message {
  if (message.removed_at || JSON.stringify(message.question) === JSON.stringify(question)) return message;
  return { ...message, question };
}
